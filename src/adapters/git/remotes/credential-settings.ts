import type { PushCredentials } from '../../../ports/remotes.ts'

interface Over {
  /** What git talks to. */
  readonly url: string
  /** The user's configuration sends an authorization of its own there. */
  readonly isAuthorized: boolean
  /** File with the certificates to trust there; null for those of git. */
  readonly authorities: string | null
}

/**
 * Settings of git, as variables, that answer one server's question who it is. The user's own
 * helpers are left out: they would store the token. Neither command lines nor files have it.
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
