import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const sessionMs = 30 * 86_400_000

/** Who may use the dashboard. */
export interface Sessions {
  /** What a browser gets for the token of a link, as a `Set-Cookie` says it; null unless the token is good and was never used. */
  exchange(token: string): string | null
  /** Whether a `Cookie` header has a session that is not over. */
  isOpen(cookies: string | undefined): boolean
}

/** A token that one server exchanges once. Whoever can read the installation's secret can make one. */
export function loginToken(secret: string, server: string): string {
  const nonce = randomBytes(16).toString('base64url')
  return `${nonce}.${sign(secret, `login ${server} ${nonce}`)}`
}

/** `server` names this start of it: tokens of an earlier one are worth nothing, sessions stay. */
export function createSessions(secret: string, server: string, now: () => Date): Sessions {
  const used = new Set<string>()
  // Cookies know no ports: two installations must not take each other's away.
  const name = `drydock_${createHash('sha256').update(secret).digest('hex').slice(0, 12)}`
  return {
    exchange(token) {
      const [nonce = '', signature = ''] = token.split('.')
      if (!isSame(signature, sign(secret, `login ${server} ${nonce}`)) || used.has(nonce)) return null
      used.add(nonce)
      const until = now().getTime() + sessionMs
      const value = `${until}.${sign(secret, `session ${until}`)}`
      return `${name}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${sessionMs / 1_000}`
    },
    isOpen(cookies = '') {
      const values = cookies.split(';').flatMap((cookie) => {
        const [key, value = ''] = cookie.trim().split('=')
        return key === name ? [value] : []
      })
      return values.some((value) => {
        const [until = '', signature = ''] = value.split('.')
        return isSame(signature, sign(secret, `session ${until}`)) && Number(until) > now().getTime()
      })
    },
  }
}

function sign(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url')
}

/** Takes as long for a wrong first character as for a wrong last one. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
