import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  isLookDue,
  isStalled,
  noProgress,
  type Progress,
  startedWith,
  turnsWithout,
  withEdit,
  withMarks,
} from '../../src/domain/lane/progress.ts'
import { limits } from '../../src/domain/limits.ts'

const started = startedWith(noProgress, ['tree:base'])
const [one, two] = ['1'.repeat(16), '2'.repeat(16)]
const lane = (progress: Progress, iterations: number) => ({ progress, iterations })

describe('progress of a lane', () => {
  test('is what was never seen before; what it began with is none', () => {
    expect(withMarks(started, ['tree:base'], 5)).toBe(started)
    const later = withMarks(started, ['tree:a', 'tree:base'], 5)
    expect(later).toMatchObject({ at: 5, seen: [expect.stringMatching(/^edits:0+$/), 'tree:base', 'tree:a'] })
    expect(withMarks(later, ['tree:a', 'tree:base'], 9)).toBe(later)
  })

  test('is no edit that brings back what was there before', () => {
    const edited = withEdit(started, [one, two], 1)
    expect(edited.at).toBe(1)
    const back = withEdit(edited, [two, one], 2)
    expect(back.at).toBe(1)
    expect(withEdit(back, [one, two], 3).at).toBe(1)
    expect(withEdit(back, [one], 4).at).toBe(4)
    expect(withEdit(started, [], 7).at).toBe(0)
  })

  test('is counted from the last of it on', () => {
    expect(turnsWithout(lane(withMarks(started, ['a'], 30), 34))).toBe(4)
  })
})

describe('a look', () => {
  test('is due at first, soon after the last progress, and before the lane is stopped; never for one without a guard', () => {
    const due = (most: number | undefined) =>
      Array.from({ length: 23 }, (_, turn) => turn).filter((turn) => isLookDue(lane(started, turn), most))
    expect(due(20)).toEqual([limits.stall.lookAfter, 20, 21, 22])
    expect(due(2)[0]).toBe(2)
    expect(due(undefined)).toEqual([])
    expect(isLookDue(lane(noProgress, 0), 20)).toBe(true)
  })
})

const event = fc.oneof(
  fc.record({ type: fc.constant('marks' as const), marks: fc.array(fc.string({ maxLength: 3 }), { maxLength: 3 }) }),
  fc.record({
    type: fc.constant('edit' as const),
    of: fc.array(fc.constantFrom(one, two, '3'.repeat(16)), { maxLength: 4 }),
  }),
  fc.constant({ type: 'nothing' as const }),
)
type Event = typeof event extends fc.Arbitrary<infer E> ? E : never

const after = (progress: Progress, happened: Event, turn: number): Progress => {
  if (happened.type === 'marks') return withMarks(progress, happened.marks, turn)
  return happened.type === 'edit' ? withEdit(progress, happened.of, turn) : progress
}

test('whatever happens, a lane is stopped exactly when the last turns had nothing that was not there before, and what is remembered stays bounded', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 400 }), fc.integer({ min: 1, max: 25 }), (events, most) => {
      let progress = started
      let last = 0
      const known = new Set(progress.seen)
      for (const [i, happened] of events.entries()) {
        const turn = i + 1
        progress = after(progress, happened, turn)
        const fresh = progress.seen.filter((mark) => !known.has(mark))
        if (fresh.length > 0) last = turn
        for (const mark of fresh) known.add(mark)
        expect(progress.edits).toMatch(/^[0-9a-f]{16}$/)
        expect(progress.seen.length).toBeLessThanOrEqual(limits.stall.marks)
        if (known.size <= limits.stall.marks) expect(isStalled(lane(progress, turn), most)).toBe(turn - last >= most)
      }
    }),
  )
})

test('the same edits in any order come to the same', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray([one, two, '3'.repeat(16), 'f'.repeat(16)]), (order) => {
      const sum = (all: readonly string[]) => all.reduce((progress, each, i) => withEdit(progress, [each], i), started)
      expect(sum(order).edits).toBe(sum(order.toSorted()).edits)
      expect(sum([...order, ...order]).edits).toBe(started.edits)
    }),
  )
})
