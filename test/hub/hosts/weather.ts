import { setTimeout as delay } from 'node:timers/promises'
import { endOne } from '../../postgres/end-session.ts'
import { randomOf } from '../../random.ts'
import type { Host } from './host.ts'
import type { HostsWorld } from './hosts-world.ts'
import { database } from './zombie-watch.ts'

/** Faults of one machine with a worker. Each ends with the returned promise. */
const ofHost = {
  /** Kills all of its programs, and removes its disk. */
  async burnt({ host, chance }: Blow) {
    host.burn()
    await delay(between(1, 20, chance))
    host.letStart()
  },
  async partition({ host, chance }: Blow) {
    host.network.cut()
    await delay(between(5, 60, chance))
    host.network.mend()
  },
  /**
   * Stops the machine for longer than anybody waits, after which it continues as if nothing had
   * happened.
   */
  async paused({ host, chance }: Blow) {
    host.pause()
    await delay(between(12, 35, chance))
    host.goOn()
  },
  async slow({ host, chance }: Blow) {
    const how = host.network.slow()
    await delay(between(10, 40, chance))
    host.network.mend()
    return how
  },
  async full_disk({ host, chance }: Blow) {
    host.fill()
    await delay(between(5, 25, chance))
    host.makeSpace()
  },
  async clock({ host, chance }: Blow) {
    host.clock.set(chance() < 0.5 ? -3_600 : 3_600)
    await delay(between(10, 40, chance))
    host.clock.set(0)
  },
}

/** Faults of the machine that all others need. */
const ofCentre = {
  async hub({ world, chance }: Strike) {
    world.hub.keepDown()
    const pid = world.hub.pid()
    if (pid !== null) process.kill(pid, 'SIGKILL')
    await delay(between(0, 15, chance))
    world.hub.letStart()
  },
  /** The database ends at once, as after a loss of power, or in good order. */
  async database({ world, chance }: Strike) {
    const [seconds = 0] = [1, 7, 40].slice(Math.floor(3 * chance()))
    await world.server.stop(chance() < 0.5 ? 'SIGQUIT' : 'SIGINT')
    await delay(1_000 * seconds)
    await world.server.start()
    return `away for ${seconds} s`
  },
  /** Sessions of the database end in the middle of transactions, as an administrator ends them. */
  async sessions({ world, chance }: Strike) {
    const end = performance.now() + between(1, 5, chance)
    let ended = 0
    while (performance.now() < end) ended += await endOne(world.server.url(database))
    return `${ended} ended`
  },
}

interface Strike {
  readonly world: HostsWorld
  readonly chance: () => number
}

interface Blow extends Strike {
  readonly host: Host
}

type OfHost = keyof typeof ofHost
type OfCentre = keyof typeof ofCentre
export type Fault = OfHost | OfCentre

export const faults: readonly Fault[] = [...Object.keys(ofHost), ...Object.keys(ofCentre)] as never

const between = (from: number, to: number, chance: () => number) => 1_000 * (from + (to - from) * chance())

const isOfHost = (fault: Fault): fault is OfHost => fault in ofHost

/** The faults of a seed, in order: each kind equally often. */
export function drawFaults(seed: number, count: number): readonly Fault[] {
  const chance = randomOf(seed)
  return Array.from({ length: Math.ceil(count / faults.length) }, () =>
    faults.map((fault) => ({ fault, at: chance() })).toSorted((a, b) => a.at - b.at),
  )
    .flat()
    .slice(0, count)
    .map(({ fault }) => fault)
}

export interface Weather {
  readonly seed: number
  readonly drawn: readonly Fault[]
  /** Called at the start and at the end of each fault. */
  tell(line: string): void
}

/** Runs all faults, one at a time on each machine. Resolves when the last one has ended. */
export async function weather(world: HostsWorld, { seed, drawn, tell }: Weather): Promise<void> {
  const began = performance.now()
  const say = (line: string) => tell(`${Math.round((performance.now() - began) / 1_000)} s: ${line}`)
  const free = new Map<string, Promise<void>>(
    ['centre', ...world.hosts.map(({ name }) => name)].map((name) => [name, Promise.resolve()]),
  )
  for (const [i, fault] of drawn.entries()) {
    // Each fault has its own random numbers, independent of the others.
    const chance = randomOf(seed * 1_000 + i)
    const host = world.hosts[Math.floor(chance() * world.hosts.length)] as Host
    const place = isOfHost(fault) ? host.name : 'centre'
    await free.get(place)
    await delay(between(0.5, 5, chance))
    say(`${i + 1}. ${fault} at ${place}`)
    const happening = isOfHost(fault) ? ofHost[fault]({ world, host, chance }) : ofCentre[fault]({ world, chance })
    const over = happening.then((how) => say(`${i + 1}. ${fault} is over${how === undefined ? '' : ` (${how})`}`))
    free.set(
      place,
      over.then(() => delay(between(1, 6, chance))),
    )
  }
  await Promise.all(free.values())
}
