import { isIP } from 'node:net'

/**
 * A host in the form of URLs (lower case, no trailing dot, an IPv6 address without brackets) and a
 * port.
 */
export interface Endpoint {
  readonly host: string
  readonly port: number
}

/** `any` also permits private addresses; null permits none. */
export type Reach = 'public' | 'any' | null

export interface AllowList {
  reach(endpoint: Endpoint): Reach
}

const usualPorts = [80, 443]

/**
 * `hosts` are names, optionally with a port; the default is 80 and 443. They never permit an IP
 * address. `registries` are permitted exactly as given.
 */
export function createAllowList(hosts: readonly string[], registries: readonly Endpoint[]): AllowList {
  const named = hosts.flatMap((text) => {
    const [name = '', port] = text.split(':')
    const host = normalHost(name)
    if (host === null || isIP(host) !== 0) return []
    return (port === undefined ? usualPorts : [Number(port)]).map((one) => ({ host, port: one }))
  })
  return {
    reach(endpoint) {
      const matches = (one: Endpoint) => one.host === endpoint.host && one.port === endpoint.port
      if (registries.some(matches)) return 'any'
      return named.some(matches) ? 'public' : null
    },
  }
}

/** Parses `host:port`, the form of CONNECT; null if it is malformed. */
export function parseEndpoint(text: string): Endpoint | null {
  const [, name = '', digits = ''] = /^(\[[\da-f:.]+\]|[^:]+):(\d{1,5})$/i.exec(text) ?? []
  const host = normalHost(name)
  const port = Number(digits)
  return host === null || port < 1 || port > 65_535 ? null : { host, port }
}

/** The host and port of an http or https URL; null for any other text. */
export function endpointOf(url: string): Endpoint | null {
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return null
  const host = withoutDecoration(parsed.hostname)
  return { host, port: Number(parsed.port || (parsed.protocol === 'https:' ? 443 : 80)) }
}

/** Also normalizes the many notations of an IPv4 address. */
function normalHost(name: string): string | null {
  if (name === '' || /[\s/?#@\\%]/.test(name)) return null
  const host = URL.parse(`http://${name}`)?.hostname
  return host === undefined || host === '' ? null : withoutDecoration(host)
}

function withoutDecoration(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}
