import { type Priority, weightOf } from './priority.ts'

/** A worker or waiter: the names of the groups around it, the largest first. */
export interface Party {
  readonly path: readonly string[]
  readonly priority: Priority
}

/**
 * A participant: the amount that it holds, and the time when it or its group last got something.
 */
export interface Taking extends Party {
  readonly holds: number
  /** Any growing number, shared by all; left out for a participant that never got anything. */
  readonly turn?: number | undefined
}

interface Standing {
  readonly holds: number
  /** The amount held, divided by the weight of the priorities. */
  readonly load: number
  readonly turn: number | null
}

/** The holdings of each group, by its path. */
export type Shares = ReadonlyMap<string, Standing>

const nothing: Standing = { holds: 0, load: 0, turn: null }

export function sharesOf(taking: readonly Taking[]): Shares {
  const shares = new Map<string, Standing>()
  for (const each of taking) add(shares, each)
  return shares
}

/** The shares after a party got one more. */
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
  /** The number of the next grant, larger than that of any earlier grant. */
  readonly now: number
  /** The most that one group may hold, by level of the path; left out without a bound. */
  readonly caps: readonly (number | undefined)[]
}

/**
 * The next party, or undefined if all that wait hold as much as they may. At each level the group
 * that holds the least, by the weight of its priorities, is next. Among equals it is the group that
 * has waited longest since its last grant, where a higher priority waits faster. So the number of
 * grants before a party that holds nothing depends on the number of groups, at most one for each of
 * the same priority, and never on their demand.
 */
export function nextInTurn<W extends Party>(waiting: readonly W[], turns: Turns): W | undefined {
  return nextAt(
    waiting.filter(({ path }) => reachedCap(path, turns) === null),
    turns,
    0,
  )
}

/** All waiting parties, in the order of their turns as long as there is no grant. */
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

/** The level at which a group of the path holds as much as it may; null if there is none. */
export function reachedCap(path: readonly string[], { shares, caps }: Pick<Turns, 'shares' | 'caps'>): number | null {
  const at = prefixes(path).findIndex((name, level) => (shares.get(name)?.holds ?? 0) >= (caps[level] ?? Infinity))
  return at < 0 ? null : at
}

function nextAt<W extends Party>(waiting: readonly W[], turns: Turns, level: number): W | undefined {
  const [first] = waiting
  if (first === undefined || level >= first.path.length) return first
  // Groups keep the order of `waiting`, which decides between equals.
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

/** The names of the groups in a path, each with those before it. */
function prefixes(path: readonly string[]): readonly string[] {
  return path.map((_, level) => JSON.stringify(path.slice(0, level + 1)))
}
