import { BlockList, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

/**
 * Loopback, private, link-local, carrier-grade NAT, protocol assignments, multicast and reserved
 * ranges. The ranges for documentation and benchmarks are missing on purpose: they contain nothing
 * private, and some machines' proxies give every public name an address there.
 */
const closed4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const

/**
 * Includes notations of IPv4 addresses that no current gateway needs: compatible, 6to4, Teredo and
 * local NAT64.
 */
const closed6 = [
  ['::', 96],
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const

/** Prefixes before an IPv4 address: mapped, translated and NAT64. */
const carriers = ['::ffff:', '::ffff:0:', '64:ff9b::'] as const

const closed = closedRanges()

/**
 * True if an address is on the internet: neither in a private network nor on this machine, whose
 * addresses are in `interfaces`.
 */
export function isPublicAddress(address: string, interfaces = networkInterfaces()): boolean {
  const own = Object.values(interfaces).some((entries) => entries?.some((entry) => entry.address === address))
  return !own && !closed.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

function closedRanges(): BlockList {
  const list = new BlockList()
  for (const [address, bits] of closed6) list.addSubnet(address, bits, 'ipv6')
  for (const [address, bits] of closed4) {
    list.addSubnet(address, bits, 'ipv4')
    for (const carrier of carriers) list.addSubnet(`${carrier}${address}`, 96 + bits, 'ipv6')
  }
  return list
}
