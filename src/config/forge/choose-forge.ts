import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { ForgeAccess } from '../../domain/forge/forge-access.ts'
import { forgeKinds, knownForges, tokenVariables } from '../../domain/forge/known-forges.ts'
import type { EnvironmentVariables } from '../environment.ts'
import type { LoadedUserConfig } from '../load.ts'
import type { UserConfig } from '../schema.ts'
import { type NamedForge, projectNamed, projectOn } from './find-project.ts'
import { type RemoteAddress, remoteAddress } from './remote-address.ts'

type Entry = UserConfig['forges'][string]

interface Choosing {
  readonly user: LoadedUserConfig
  readonly env: EnvironmentVariables
  /** The URL of the remote. */
  readonly url: string
  /** `--forge`; null for the forge that the URL implies. */
  readonly name: string | null
}

/**
 * The forge of a remote, its repository there, and the credentials. Throws DrydockError
 * `forge_unknown` or `no_forge_token`.
 */
export function chooseForge({ user, env, url, name }: Choosing): ForgeAccess {
  const forges = forgesOf(user)
  const named = name === null ? null : (forges.find((forge) => forge.name === name) ?? null)
  if (name !== null && named === null) throw noSuchForge(name, forges)
  const address = remoteAddress(url)
  const found = address && (named ? onNamed(named, address) : onAny(forges, address))
  if (!found) throw unknown(url, user.file)
  const entry = entryOf(user, found.forge.name)
  const credentials = credentialsOf({ forge: found.forge, entry, env, file: user.file })
  return { ...found.forge, project: found.project, credentials }
}

/** The secret values: all tokens, webhook URLs, and the lines of key files. */
export function forgeSecrets(env: EnvironmentVariables, { forges }: Pick<UserConfig, 'forges'>): readonly string[] {
  return Object.values(forges).flatMap(({ token_env: variable, app, watch }) => [
    ...(watch?.webhook === undefined ? [] : [env[watch.webhook.secret_env]?.trim() ?? '']),
    ...(variable === undefined ? [] : [env[variable]?.trim() ?? '']),
    ...(app === undefined ? [] : linesOf(app.private_key)),
  ])
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    // An unreadable key cannot be used, and its user reports that.
    return []
  }
}

/** The user's own forges come first, since one of them may be a public forge under another name. */
function forgesOf({ forges }: Pick<UserConfig, 'forges'>): readonly NamedForge[] {
  const own = Object.entries(forges).flatMap(([name, { kind, url }]) =>
    kind === undefined || url === undefined ? [] : [{ name, kind, url }],
  )
  return [...own, ...Object.entries(knownForges).map(([name, forge]) => ({ name, ...forge }))]
}

function entryOf({ forges }: Pick<UserConfig, 'forges'>, name: string): Entry | undefined {
  return Object.hasOwn(forges, name) ? forges[name] : undefined
}

/** Follows a host alias, which SSH's configuration allows. */
function onNamed(forge: NamedForge, address: RemoteAddress) {
  const isElsewhere = address.protocol !== 'ssh'
  const project = projectOn(forge, address) ?? (isElsewhere ? null : projectNamed(forge, address))
  return project === null ? null : { forge, project }
}

function onAny(forges: readonly NamedForge[], address: RemoteAddress) {
  for (const forge of forges) {
    const project = projectOn(forge, address)
    if (project !== null) return { forge, project }
  }
  return null
}

interface Entering {
  readonly forge: NamedForge
  readonly entry: Entry | undefined
  readonly env: EnvironmentVariables
  readonly file: string
}

function credentialsOf({ forge, entry, env, file }: Entering): ForgeAccess['credentials'] {
  if (entry?.app) {
    const { id, private_key: key, installation_id: installation = null } = entry.app
    return { app: { id, privateKey: readKey(forge.name, key), installation } }
  }
  const usual = forge.name === 'codeberg' ? ['CODEBERG_TOKEN'] : []
  const variables = entry?.token_env === undefined ? [...usual, ...tokenVariables[forge.kind]] : [entry.token_env]
  const token = variables.map((variable) => env[variable]?.trim()).find((value) => value)
  if (token) return { token }
  throw new DrydockError('no_forge_token', `There is no token for ${forge.name}: ${variables.join(', ')} is not set.`, {
    todo: `Set it, or name another variable: "forges": { "${forge.name}": { "token_env": "NAME" } } in ${file}`,
  })
}

function readKey(name: string, file: string): string {
  try {
    const key = readFileSync(file, 'utf8')
    if (createPrivateKey(key).asymmetricKeyType === 'rsa') return key
    throw new Error('it is no RSA key')
  } catch (cause) {
    throw new DrydockError('no_forge_token', `The key of the App for ${name} cannot be used: ${file}`, {
      todo: `Name the file with the private key that the forge made for the App: forges.${name}.app.private_key of your configuration.`,
      cause,
    })
  }
}

function noSuchForge(name: string, forges: readonly NamedForge[]): DrydockError {
  const names = forges.map((forge) => forge.name).join(', ')
  return new DrydockError('forge_unknown', `There is no forge "${name}".`, { todo: `Name one of these: ${names}` })
}

function unknown(url: string, file: string): DrydockError {
  const address = remoteAddress(url)
  if (address === null)
    return new DrydockError('forge_unknown', 'The remote is not on a server.', {
      todo: 'Name a remote that is on a forge (--remote NAME), or land without a forge: --onto BRANCH',
    })
  const { protocol, host } = address
  const web = `${protocol === 'ssh' ? 'https' : protocol}://${host}`
  const kinds = forgeKinds.map((kind) => `"${kind}"`).join(' or ')
  return new DrydockError('forge_unknown', `${host} is no forge that Drydock knows.`, {
    todo: `Add it to ${file}: "forges": { "work": { "kind": ${kinds}, "url": "${web}" } }. Or land without a forge: --onto BRANCH`,
  })
}
