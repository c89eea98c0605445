import { isIPv6 } from 'node:net'
import { limits } from '../../../domain/limits.ts'

export interface FailedSignIns {
  /** True if an address has failed too often, so that its requests are refused unread for now. */
  isLimited(address: string): boolean
  add(address: string): void
}

/**
 * Counts failures by address, or by network for IPv6. When the table is full, the oldest entry is
 * dropped.
 */
export function createFailedSignIns(now: () => Date): FailedSignIns {
  const { failures, failuresMs, addresses } = limits.hub
  const counts = new Map<string, { readonly until: number; readonly count: number }>()
  const current = (key: string) => {
    const found = counts.get(key)
    return found !== undefined && found.until > now().getTime() ? found : null
  }
  return {
    isLimited: (address) => (current(networkOf(address))?.count ?? 0) >= failures,
    add(address) {
      const key = networkOf(address)
      const { until, count } = current(key) ?? { until: now().getTime() + failuresMs, count: 0 }
      counts.delete(key)
      counts.set(key, { until, count: count + 1 })
      const [oldest] = counts.keys()
      if (counts.size > addresses && oldest !== undefined) counts.delete(oldest)
    },
  }
}

/**
 * The /64 network of an IPv6 address, which usually belongs to one customer. An IPv4 address stays
 * as it is.
 */
function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!isIPv6(address)) return address
  const [start = '', end] = address.split('::')
  const first = start === '' ? [] : start.split(':')
  const last = end === undefined || end === '' ? [] : end.split(':')
  const zeros = end === undefined ? [] : Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0')
  return [...first, ...zeros, ...last].slice(0, 4).join(':')
}
