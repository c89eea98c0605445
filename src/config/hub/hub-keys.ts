import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DrydockError } from '../../domain/drydock-error.ts'
import { type EnvironmentVariables, readEnvironment } from '../environment.ts'
import { hubUrls } from './hub-url.ts'

/**
 * Writes the public key of a hub's receipts into a separate file beside the user's configuration,
 * which may name it. An existing key is never replaced, since it may be trusted. Throws
 * DrydockError `receipt_unknown_key`.
 */
export async function keepHubKey(url: string, pem: string, env: EnvironmentVariables): Promise<string> {
  const folder = join(dirname(readEnvironment(env).userFile), 'hub-keys')
  const file = join(folder, `${new URL(hubUrls(url)[0] ?? url).host.replaceAll(/[^A-Za-z0-9.-]/g, '_')}.pem`)
  await mkdir(folder, { recursive: true })
  try {
    await writeFile(file, pem, { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if ((await readFile(file, 'utf8')) === pem) return file
    throw new DrydockError('receipt_unknown_key', `The hub ${url} signs with another key than the one in ${file}.`, {
      todo: 'Ask who runs the hub why. If the new key is theirs, remove that file and sign in again.',
    })
  }
  return file
}
