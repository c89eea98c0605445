import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextInTurn, type Party, reachedCap, sharesOf, type Taking } from '../../src/domain/share/in-turn.ts'
import { type Priority, priorities, weightOf } from '../../src/domain/share/priority.ts'
import { stepsInTurn } from '../../src/domain/share/steps-in-turn.ts'

/** A Run with endless work, unless it has a limit. */
interface Work {
  readonly user?: string
  readonly run: string
  readonly priority?: Priority
  readonly wants?: number
  /** Duration of each piece of work, in moments. */
  readonly lasts?: number
  /** The moment at which the Run is requested. */
  readonly from?: number
}

interface Piece {
  readonly work: Work
  /** Number of the newest event when the slot was assigned. */
  readonly turn: number
  readonly at: number
  readonly until: number
}

const partyOf = ({ user = '', run, priority = 'normal' }: Work): Party => ({ path: [user, run], priority })

/**
 * Assigns slots like a schedule: from one moment to the next it only knows each Run's slots and the
 * time of their assignment.
 */
function play(
  works: readonly Work[],
  { slots, moments, caps = [] }: { slots: number; moments: number; caps?: readonly (number | undefined)[] },
): readonly Piece[] {
  const pieces: Piece[] = []
  const arrivals = new Map<Work, number>()
  let event = 0
  // Each moment adds ten events, for those that working Runs append.
  for (let now = 0; now < moments; now += 1, event += 10) {
    for (const work of works) if ((work.from ?? 0) === now) arrivals.set(work, ++event)
    for (;;) {
      const held = pieces.filter(({ until }) => until > now)
      const isThere = ({ from = 0 }: Work) => from <= now
      const given = (work: Work) => pieces.filter((piece) => piece.work === work)
      const waiting = works
        .filter((work) => isThere(work) && given(work).length < (work.wants ?? Infinity))
        .map((work) => ({ ...partyOf(work), work }))
      const taking: readonly Taking[] = works.filter(isThere).map((work) => ({
        ...partyOf(work),
        holds: held.filter((piece) => piece.work === work).length,
        turn: given(work).at(-1)?.turn ?? arrivals.get(work),
      }))
      const turns = { shares: sharesOf(taking), now: event, caps }
      const next = nextInTurn(waiting, turns)
      const isCapped = waiting.every(({ path }) => reachedCap(path, turns) !== null)
      if (held.length < slots && (next === undefined) !== isCapped) throw new Error('a slot is left empty')
      if (held.length >= slots || next === undefined) break
      pieces.push({ work: next.work, turn: ++event, at: now, until: now + (next.work.lasts ?? 1) })
    }
  }
  return pieces
}

/**
 * The number of other Runs' pieces that are assigned before the Run's first one, from its arrival.
 */
function givenBefore(pieces: readonly Piece[], run: string): number {
  const from = pieces.find(({ work }) => work.run === run)?.work.from ?? 0
  const later = pieces.filter(({ at }) => at >= from)
  const at = later.findIndex(({ work }) => work.run === run)
  return at < 0 ? Infinity : at
}

const count = (pieces: readonly Piece[], run: string) => pieces.filter(({ work }) => work.run === run).length

describe('what is shared', () => {
  test('goes to a small Run after at most one piece of a big one, whatever that wants', () => {
    for (const wants of [20, 200, 2_000]) {
      const pieces = play(
        [
          { run: 'big', wants, lasts: 3 },
          { run: 'small', wants: 1, from: 7 },
        ],
        { slots: 4, moments: 40 },
      )
      expect([wants, givenBefore(pieces, 'small')]).toEqual([wants, 1])
    }
  })

  test('goes to all users alike, however many Runs each of them has', () => {
    const many = Array.from({ length: 5 }, (_, n) => ({ user: 'ann', run: `a${n}` }))
    const pieces = play([...many, { user: 'bob', run: 'b' }], { slots: 1, moments: 100 })
    expect(count(pieces, 'b')).toBe(50)
    expect(many.map(({ run }) => count(pieces, run))).toEqual([10, 10, 10, 10, 10])
  })

  test('goes to priorities by their weight in many slots, and more often to a higher one in a single slot', () => {
    const works = priorities.map((priority) => ({ run: priority, priority }))
    const many = play(works, { slots: 7, moments: 1 })
    expect(works.map(({ run }) => count(many, run))).toEqual(priorities.map(weightOf))
    const one = play(works, { slots: 1, moments: 700 })
    const [low = 0, normal = 0, high = 0] = works.map(({ run }) => count(one, run))
    expect(high).toBeGreaterThan(normal * 1.5)
    expect(normal).toBeGreaterThanOrEqual(low)
    expect(low).toBeGreaterThan(700 / 12)
  })

  test('passes to a waiting party although new ones keep arriving', () => {
    const stream = Array.from({ length: 300 }, (_, n) => ({ run: `new-${n}`, wants: 1, from: n }))
    const pieces = play([{ run: 'old' }, ...stream], { slots: 1, moments: 300 })
    expect(count(pieces, 'old')).toBeGreaterThan(10)
  })

  const work = fc.record({
    user: fc.constantFrom('ann', 'bob', 'eve'),
    priority: fc.constantFrom(...priorities),
    lasts: fc.integer({ min: 1, max: 4 }),
  })

  test('never leaves anybody out, and never a slot empty that somebody may have', () => {
    fc.assert(
      fc.property(fc.array(work, { minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 4 }), (some, slots) => {
        const works = some.map((each, n) => ({ ...each, run: `r${n}` }))
        const pieces = play(works, { slots, moments: 160 })
        expect(works.filter(({ run }) => count(pieces, run) === 0)).toEqual([])
      }),
      { numRuns: 40 },
    )
  })

  test('passes over one that waits at most once for each other Run of its user and priority', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 20 }), (others, from) => {
        const works = Array.from({ length: others }, (_, n) => ({ run: `r${n}` }))
        const pieces = play([...works, { run: 'late', from }], { slots: 1, moments: 60 })
        expect(givenBefore(pieces, 'late')).toBeLessThanOrEqual(others)
      }),
      { numRuns: 40 },
    )
  })

  test('is never more than the caps of a user and of a Run', () => {
    const cap = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined })
    fc.assert(
      fc.property(fc.array(work, { minLength: 1, maxLength: 6 }), fc.tuple(cap, cap), (some, caps) => {
        const works = some.map((each, n) => ({ ...each, run: `r${n}` }))
        const pieces = play(works, { slots: 8, moments: 12, caps })
        for (let now = 0; now < 12; now += 1) {
          const held = pieces.filter(({ at, until }) => at <= now && now < until)
          for (const [level, name] of [['user', 0] as const, ['run', 1] as const]) {
            const most = Math.max(
              0,
              ...[...Map.groupBy(held, (piece) => piece.work[level])].map(([, all]) => all.length),
            )
            expect(most).toBeLessThanOrEqual(caps[name] ?? Infinity)
          }
        }
      }),
      { numRuns: 40 },
    )
  })
})

describe('the steps to begin', () => {
  const step = (run: string, id = 0) => ({ run, id })

  test('are all that there are while there is room, in their order', () => {
    const due = [step('a'), step('a'), step('b')]
    expect(stepsInTurn(due, { underWay: ['a'], free: 3 })).toEqual(due)
  })

  test('belong to the Runs with the fewest running steps, the oldest first', () => {
    const due = [step('a', 1), step('a', 2), step('a', 3), step('b', 4), step('c', 5)]
    expect(stepsInTurn(due, { underWay: [], free: 3 }).map(({ id }) => id)).toEqual([1, 4, 5])
    expect(stepsInTurn(due, { underWay: ['b', 'b', 'c'], free: 3 }).map(({ id }) => id)).toEqual([1, 2, 5])
    expect(stepsInTurn(due, { underWay: [], free: 0 })).toEqual([])
  })

  test('are always as many as there is room for, and each once', () => {
    const runs = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 })
    fc.assert(
      fc.property(runs, runs, fc.nat(6), (due, underWay, free) => {
        const steps = due.map((run, id) => ({ run, id }))
        const begun = stepsInTurn(steps, { underWay, free })
        expect(begun).toHaveLength(Math.min(free, steps.length))
        expect(new Set(begun).size).toBe(begun.length)
      }),
    )
  })
})
