import { DrydockError, type ErrorCode } from '../domain/drydock-error.ts'
import { isLoopback } from '../domain/loopback.ts'
import { proxyVariables } from '../domain/providers.ts'

/** The proxy for requests to an endpoint. */
export interface HttpProxy {
  /** The proxy's address, which may contain a password, and the hosts that bypass it. */
  readonly url: string
  readonly except: string
  /** The variable that sets the proxy. */
  readonly variable: string
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the proxy that the environment names for a URL; null without one. Requests to this
 * machine go directly: to a proxy its name would be another machine. Throws a DrydockError with
 * `code`.
 */
export function proxyFor(url: string, env: Environment, code: ErrorCode): HttpProxy | null {
  const { protocol, hostname } = new URL(url)
  if (isLoopback(hostname)) return null
  const variable = proxyVariables[protocol === 'https:' ? 'secure' : 'plain'].find((name) => env[name]?.trim())
  if (variable === undefined) return null
  const proxy = env[variable]?.trim() ?? ''
  if (!isProxyUrl(proxy)) {
    throw new DrydockError(code, `The proxy in ${variable} cannot be used: it is no http or https URL.`, {
      todo: `Correct ${variable}, or name the host ${hostname} in NO_PROXY.`,
    })
  }
  return { url: proxy, except: exceptIn(env), variable }
}

/** The parts of the proxy's address that must stay secret. */
export function secretsOfProxy(proxy: HttpProxy | null): readonly string[] {
  if (proxy === null) return []
  const { username, password } = new URL(proxy.url)
  const decoded = [username, password].flatMap((each) => (each === '' ? [] : [each, decodeURIComponent(each)]))
  return password === '' ? [] : [...decoded, Buffer.from(`${username}:${password}`).toString('base64')]
}

/**
 * Sends the requests of Node's `fetch` through the proxies that the environment names: those to
 * forges, buckets, collectors of telemetry, webhooks and MCP servers.
 */
export function setProxies(env: Environment): void {
  const named = (variables: readonly string[]) =>
    variables.map((name) => env[name]?.trim()).find((url) => url !== undefined && isProxyUrl(url))
  const [secure, plain] = [named(proxyVariables.secure), named(proxyVariables.plain)]
  if (secure === undefined && plain === undefined) return
  // Node would load all of fetch for an environment without a proxy.
  process.getBuiltinModule('node:http').setGlobalProxyFromEnv({
    ...(secure !== undefined && { HTTPS_PROXY: secure }),
    ...(plain !== undefined && { HTTP_PROXY: plain }),
    NO_PROXY: [exceptIn(env), 'localhost', '127.0.0.1', '[::1]'].filter((host) => host !== '').join(','),
  })
}

function isProxyUrl(url: string): boolean {
  return /^https?:$/.test(URL.parse(url)?.protocol ?? '')
}

function exceptIn(env: Environment): string {
  return proxyVariables.except.map((name) => env[name]?.trim()).find(Boolean) ?? ''
}
