import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DrydockError } from '../../domain/drydock-error.ts'
import { writeWhole } from '../../files/write-whole.ts'
import { type EnvironmentVariables, readEnvironment } from '../environment.ts'
import { hubUrls } from './hub-url.ts'

/** The variable with a token, which overrides the file. */
const tokenVariable = 'DRYDOCK_HUB_TOKEN'

/** The file with tokens by the address of their hub, beside the user's configuration. */
export function tokensFile(env: EnvironmentVariables): string {
  return join(dirname(readEnvironment(env).userFile), 'hub-tokens.json')
}

/** Throws DrydockError `no_hub_token` if there is none, or if others can read the file. */
export async function hubToken(url: string, env: EnvironmentVariables): Promise<string> {
  const named = env[tokenVariable]?.trim()
  if (named) return named
  const tokens = await readTokens(env)
  // A hub and its standbys accept the same tokens.
  const token = hubUrls(url)
    .map((each) => tokens[each])
    .find((each) => each !== undefined)
  if (token !== undefined) return token
  throw new DrydockError('no_hub_token', `There is no token for the hub ${url}.`, {
    todo: `An admin of the hub gives you one. Then: drydock hub login ${url}   or set ${tokenVariable}`,
  })
}

/**
 * Stores a token, or removes it, in a file that only the user can read. Returns the file's path.
 * Throws DrydockError `no_hub_token`.
 */
export async function keepHubToken(url: string, token: string | null, env: EnvironmentVariables): Promise<string> {
  const file = tokensFile(env)
  const urls = hubUrls(url)
  const others = Object.entries(await readTokens(env)).filter(([each]) => !urls.includes(each))
  const kept = token === null ? others : [...others, ...urls.map((each) => [each, token])]
  const text = `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`
  await mkdir(dirname(file), { recursive: true })
  try {
    await writeWhole(file, text, { mode: 0o600 })
  } catch (error) {
    throw new DrydockError('no_hub_token', `${file} cannot be written: ${reason(error)}`, {
      todo: `Set ${tokenVariable} instead.`,
      cause: error,
    })
  }
  return file
}

async function readTokens(env: EnvironmentVariables): Promise<Readonly<Record<string, string>>> {
  const file = tokensFile(env)
  let handle: Awaited<ReturnType<typeof open>>
  try {
    handle = await open(file, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw unusable(file, `it cannot be read: ${reason(error)}`, `Correct it, or set ${tokenVariable}.`)
  }
  try {
    const { mode } = await handle.stat()
    if ((mode & 0o077) !== 0) throw unusable(file, 'other users can read or write it', `chmod 600 ${file}`)
    const tokens: unknown = JSON.parse(await handle.readFile('utf8'))
    if (typeof tokens !== 'object' || tokens === null) throw new Error('it is no JSON object')
    return Object.fromEntries(Object.entries(tokens).filter(([, token]) => typeof token === 'string'))
  } catch (error) {
    if (error instanceof DrydockError) throw error
    throw unusable(file, reason(error), 'Remove it, then sign in again: drydock hub login <url>')
  } finally {
    await handle.close()
  }
}

function unusable(file: string, why: string, todo: string): DrydockError {
  return new DrydockError('no_hub_token', `The tokens in ${file} are not used: ${why}.`, { todo })
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
