import { isIP } from 'node:net'

/** Parses `HOST:PORT`, where an IPv6 address is in brackets; null for anything else. */
export function parseListen(text: string): { readonly host: string; readonly port: number } | null {
  const [, v6, name, digits = ''] = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(text) ?? []
  const host = v6 ?? name
  if (host === undefined || Number(digits) > 65_535 || (v6 !== undefined && isIP(v6) !== 6)) return null
  return { host, port: Number(digits) }
}
