import { DrydockError } from '../../domain/drydock-error.ts'
import { proxyVariables } from '../../domain/providers.ts'

/** The proxy for requests to an endpoint. */
export interface HttpProxy {
  /** The proxy's address, which may contain a password, and the hosts that bypass it. */
  readonly url: string
  readonly except: string
  /** The variable that sets the proxy. */
  readonly variable: string
}

/**
 * The proxy that the environment names for a base URL; null without one. Loopback addresses bypass
 * it, since for the proxy they would mean its own machine. Throws DrydockError `bad_model`.
 */
export function proxyFor(baseURL: string, env: Readonly<Record<string, string | undefined>>): HttpProxy | null {
  const { protocol, hostname } = new URL(baseURL)
  if (isLoopback(hostname)) return null
  const variable = proxyVariables[protocol === 'https:' ? 'secure' : 'plain'].find((name) => env[name]?.trim())
  const url = variable === undefined ? '' : (env[variable]?.trim() ?? '')
  if (variable === undefined) return null
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new DrydockError('bad_model', `The proxy in ${variable} cannot be used: it is no http or https URL.`, {
      todo: `Correct ${variable}, or name the provider's host in NO_PROXY.`,
    })
  }
  const except = proxyVariables.except.map((name) => env[name]?.trim()).find(Boolean) ?? ''
  return { url, except, variable }
}

/** The parts of the proxy's address that must stay secret. */
export function secretsOfProxy(proxy: HttpProxy | null): readonly string[] {
  if (proxy === null) return []
  const { username, password } = new URL(proxy.url)
  const decoded = [username, password].flatMap((each) => (each === '' ? [] : [each, decodeURIComponent(each)]))
  return password === '' ? [] : [...decoded, Buffer.from(`${username}:${password}`).toString('base64')]
}

export function isLoopback(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
