import type { EnvironmentVariables } from '../../config/environment.ts'
import { keepHubKey } from '../../config/hub/hub-keys.ts'
import { keepHubToken, tokensFile } from '../../config/hub/hub-tokens.ts'
import type { ConnectHub, HubFacts } from '../../ports/hub/hub-client.ts'
import { usage } from '../usage.ts'
import { checkVersion, hubOrigin } from './at-hub.ts'

export interface SignedIn extends Pick<HubFacts, 'name' | 'role' | 'repository'> {
  readonly url: string
  /** The file with the token. */
  readonly file: string
  /** The file with the public key of the hub's receipts; null while the hub has none. */
  readonly key: string | null
}

interface SigningIn {
  readonly url: string
  readonly token: string
  readonly env: EnvironmentVariables
}

/**
 * Stores a token that the hub accepts. Throws DrydockError `bad_usage`, `not_signed_in`,
 * `hub_version`, `hub_unreachable`, `no_hub_token`.
 */
export async function signIn(connect: ConnectHub, { url: given, token, env }: SigningIn): Promise<SignedIn> {
  const url = hubOrigin(given)
  if (!/^[\x21-\x7e]+$/.test(token)) throw usage('That is no token.', 'Paste what `drydock hub token add` has printed.')
  const facts = await connect({ url, token }).facts(null)
  checkVersion(url, facts)
  const { name, role, repository, receipt_key } = facts
  const key = receipt_key === null ? null : await keepHubKey(url, receipt_key, env)
  const file = await keepHubToken(url, token, env)
  return { url, name, role, repository, file, key }
}

/** Deletes the token from this machine; the hub still accepts it. Returns the file. */
export async function signOut(given: string, env: EnvironmentVariables): Promise<string> {
  await keepHubToken(hubOrigin(given), null, env)
  return tokensFile(env)
}
