/** A PostgreSQL URL, which may contain a password: only `shown` may be printed. */
export interface DatabaseUrl {
  readonly url: string
  /** Host, port and database, without user, password and options. */
  readonly shown: string
  /** The secrets in the URL, both as written and decoded. */
  readonly secrets: readonly string[]
}

/** Null for any other text. */
export function parseDatabaseUrl(text: string): DatabaseUrl | null {
  const url = URL.parse(text)
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol)) return null
  const decoded = decode(url.pathname.slice(1))
  const host = url.searchParams.get('host') ?? decode(url.hostname)
  if (decoded === null || host === null) return null
  const name = url.searchParams.get('dbname') ?? (decoded || 'the default database')
  const place = host === '' ? 'localhost' : host
  const passwords = [url.password, url.searchParams.get('password') ?? '', url.searchParams.get('sslpassword') ?? '']
  const secrets = passwords.flatMap((password) => [password, decode(password) ?? ''])
  return {
    url: text,
    shown: `${place}${url.port && `:${url.port}`}/${name}`,
    secrets: [...new Set(secrets)].filter((secret) => secret !== ''),
  }
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
