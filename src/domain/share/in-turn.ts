import { type Priority, weightOf } from './priority.ts'

/** Who works or waits: the names of the groups that it belongs to, the largest first. */
export interface Party {
  readonly path: readonly string[]
  readonly priority: Priority
}

/** One that takes part: what it holds, and when it or its group was last given something. */
export interface Taking extends Party {
  readonly holds: number
  /** Any number that grows, the same one for all; left out for who was never given anything. */
  readonly turn?: number | undefined
}

interface Standing {
  readonly holds: number
  /** What it holds, by the weight of the priorities. */
  readonly load: number
  readonly turn: number | null
}

/** What each group holds, by its path. */
export type Shares = ReadonlyMap<string, Standing>

const nothing: Standing = { holds: 0, load: 0, turn: null }

export function sharesOf(taking: readonly Taking[]): Shares {
  const shares = new Map<string, Standing>()
  for (const each of taking) add(shares, each)
  return shares
}

/** The shares once somebody was given one more. */
export function withGiven(shares: Shares, party: Party, turn: number): Shares {
  const given = new Map(shares)
  add(given, { ...party, holds: 1, turn })
  return given
}

function add(shares: Map<string, Standing>, { path, priority, holds, turn }: Taking): void {
  for (const name of prefixes(path)) {
    const before = shares.get(name) ?? nothing
    const last = Math.max(before.turn ?? -1, turn ?? -1)
    const load = before.load + holds / weightOf(priority)
    shares.set(name, { holds: before.holds + holds, load, turn: last < 0 ? null : last })
  }
}

export interface Turns {
  readonly shares: Shares
  /** The turn of what is given now: none has a later one. */
  readonly now: number
  /** By level of the path, the most that one group may hold; left out where there is no bound. */
  readonly caps: readonly (number | undefined)[]
}

/**
 * Who is next, or undefined when all that wait hold as much as they may. At each level that group
 * is next which holds the least by the weight of its priorities. Of those that hold equally little
 * it is the one that has waited longest since it was last given something, where a higher priority
 * waits faster. So how many are given something before one that holds nothing depends on how many
 * groups there are, at most one for each of the same priority, and never on how much they want.
 */
export function nextInTurn<W extends Party>(waiting: readonly W[], turns: Turns): W | undefined {
  return nextAt(
    waiting.filter(({ path }) => reachedCap(path, turns) === null),
    turns,
    0,
  )
}

/** All that wait, in the order in which they are next as long as nobody is given anything. */
export function allInTurn<W extends Party>(waiting: readonly W[], turns: Turns): readonly W[] {
  const next = nextInTurn(waiting, turns)
  if (next === undefined) return []
  return [
    next,
    ...allInTurn(
      waiting.filter((each) => each !== next),
      turns,
    ),
  ]
}

/** The level at which a group of the path holds as much as it may; null when none does. */
export function reachedCap(path: readonly string[], { shares, caps }: Pick<Turns, 'shares' | 'caps'>): number | null {
  const at = prefixes(path).findIndex((name, level) => (shares.get(name)?.holds ?? 0) >= (caps[level] ?? Infinity))
  return at < 0 ? null : at
}

function nextAt<W extends Party>(waiting: readonly W[], turns: Turns, level: number): W | undefined {
  const [first] = waiting
  if (first === undefined || level >= first.path.length) return first
  // In the order in which they were handed in, which decides between equals.
  const groups = [...Map.groupBy(waiting, ({ path }) => prefixes(path)[level] ?? '')].map(([name, parties]) => {
    const { load, turn } = turns.shares.get(name) ?? nothing
    const most = Math.max(...parties.map(weight))
    return { parties, load, waited: turn === null ? Infinity : (turns.now - turn) * most, most }
  })
  const [next] = groups.toSorted((a, b) => a.load - b.load || b.waited - a.waited || b.most - a.most)
  return next && nextAt(next.parties, turns, level + 1)
}

function weight({ priority }: Party): number {
  return weightOf(priority)
}

/** The names of the groups in a path, each within the one before. */
function prefixes(path: readonly string[]): readonly string[] {
  return path.map((_, level) => JSON.stringify(path.slice(0, level + 1)))
}
