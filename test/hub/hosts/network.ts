import { execFileSync, spawnSync } from 'node:child_process'

const prefix = '10.77.0'

/** Address of the hub, the database, the bucket and the model. */
export const centre = `${prefix}.1`

/** The addresses of all hosts. */
export const network = `${prefix}.0/24`

/** One host's end of the network. */
export interface HostNetwork {
  readonly address: string
  /** Network namespace of its programs: a file for `nsenter --net=`. */
  readonly namespace: string
  /** Drops all packets silently. */
  cut(): void
  /**
   * Adds delay and loss in both directions if the kernel can, or else limits the bandwidth. Returns
   * which one it did.
   */
  slow(): string
  /** Restores the initial state. */
  mend(): void
}

const run = (command: string) => execFileSync('sh', ['-ec', command], { stdio: ['ignore', 'pipe', 'pipe'] })

/** A bridge in the namespace of this process, to which each host is connected. */
export function createNetwork(): void {
  run(`ip link add bridge0 type bridge; ip addr add ${centre}/24 dev bridge0; ip link set bridge0 up`)
}

/** Connects the host with this number, from 1. */
export function plugIn(name: string, number: number): HostNetwork {
  const address = `${prefix}.${10 + number}`
  const [plug, inside] = [`to-${name}`, `ip -n ${name}`]
  run(`ip netns add ${name}
    ip link add ${plug} type veth peer name eth0 netns ${name}
    ip link set ${plug} master bridge0 up
    ${inside} link set lo up; ${inside} addr add ${address}/24 dev eth0; ${inside} link set eth0 up`)
  const ends = [`tc qdisc replace dev ${plug}`, `tc -n ${name} qdisc replace dev eth0`]
  return {
    address,
    namespace: `/run/netns/${name}`,
    cut: () => void run(`ip link set ${plug} nomaster`),
    slow() {
      for (const how of ['netem delay 150ms 50ms loss 3%', 'tbf rate 160kbit burst 3000 latency 600ms'])
        if (ends.every((end) => spawnSync('sh', ['-c', `${end} root ${how}`]).status === 0)) return how
      throw new Error('this kernel has neither netem nor tbf')
    },
    mend() {
      run(`ip link set ${plug} master bridge0
        tc qdisc del dev ${plug} root 2>/dev/null || :; tc -n ${name} qdisc del dev eth0 root 2>/dev/null || :`)
    },
  }
}
