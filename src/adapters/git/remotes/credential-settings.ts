import type { PushCredentials } from '../../../ports/remotes.ts'

interface Over {
  /** The server's URL. */
  readonly url: string
  /** True if the user's configuration already sends an Authorization header there. */
  readonly isAuthorized: boolean
  /** File with trusted certificates for the server; null for git's own. */
  readonly authorities: string | null
}

/**
 * Environment settings that answer one server's request for credentials. The user's helpers are
 * disabled, because they would store the token. The token appears neither in command lines nor in
 * files.
 */
export function credentialSettings(
  { origin, user, password }: PushCredentials,
  { url, isAuthorized, authorities }: Over,
): Record<string, string> {
  const answer = `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' "$DRYDOCK_PUSH_USER" "$DRYDOCK_PUSH_TOKEN"; }; f`
  const settings = [
    ['credential.helper', ''],
    [`credential.${origin}.helper`, ''],
    [`credential.${origin}.helper`, answer],
    ...(authorities !== null ? [[`http.${origin}/.sslCAInfo`, authorities] as const] : []),
    ...(isAuthorized ? [[`http.${url}.extraHeader`, ''] as const] : []),
  ] as const
  const named = settings.flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${i}`, key],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ])
  return {
    ...Object.fromEntries(named),
    GIT_CONFIG_COUNT: String(settings.length),
    DRYDOCK_PUSH_USER: user,
    DRYDOCK_PUSH_TOKEN: password,
  }
}
