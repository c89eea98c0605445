import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalisedOutput } from '../../src/domain/lane/normalised-output.ts'
import {
  isLookDue,
  type Look,
  noProgress,
  type Progress,
  standstillOf,
  turnsWithout,
  withCall,
  withCommand,
  withEdit,
  withKnown,
  withLook,
  withMarks,
  withProgressFields,
} from '../../src/domain/lane/progress.ts'
import { limits } from '../../src/domain/limits.ts'

const lane = (progress: Progress, iterations: number) => ({ progress, iterations })
const called = (progress: Progress, fingerprint: string, at: number, marks: readonly string[] = []) =>
  withCall(progress, { marks, fingerprint }, at)

describe('progress of a lane', () => {
  test('is a result that was never seen before; a known one does not count', () => {
    const started = withKnown(noProgress, ['file:base'])
    expect(withMarks(started, ['file:base'], 5)).toBe(started)
    const later = withMarks(started, ['file:a', 'file:base'], 5)
    expect(later).toMatchObject({ at: 5, seen: ['file:base', 'file:a'] })
    expect(withMarks(later, ['file:a', 'file:base'], 9)).toBe(later)
    expect(turnsWithout(lane(later, 34))).toBe(29)
  })

  test('of an older version opens with what it has seen', () => {
    const older = { at: 7, edits: '0'.repeat(16), seen: ['tree:base'], unknown: true }
    expect(withProgressFields(older)).toEqual({ ...noProgress, at: 7, seen: ['tree:base'] })
    const own = withMarks(noProgress, ['a'], 3)
    expect(withProgressFields(own)).toBe(own)
    expect(withProgressFields({})).toEqual(noProgress)
  })
})

describe('a look', () => {
  const look = (at: number, files: string, more: Partial<Look> = {}): Look => ({
    at,
    files,
    edits: 0,
    commands: 1,
    ...more,
  })
  const run = withCommand(noProgress, '2020-01-01T00:00:00.000Z')

  test('is due now and then while nothing is new and a command has run; never for a lane without a guard', () => {
    const due = (progress: Progress, most: number | undefined) =>
      Array.from({ length: 13 }, (_, turn) => turn).filter((turn) => isLookDue(lane(progress, turn), most))
    expect(due(run, 25)).toEqual([5, 10])
    expect(due(run, 4)).toEqual([3, 6, 9, 12])
    expect(due(noProgress, 25)).toEqual([])
    expect(due(run, undefined)).toEqual([])
    expect(due(withLook(run, look(1, 'a')), 25)).toEqual([])
  })

  test('is progress when commands alone have made of the workspace what it never was', () => {
    const first = withLook(run, look(5, 'a'))
    expect(first.at).toBe(0)
    const second = withLook(first, look(10, 'b'))
    expect(second.at).toBe(10)
    expect(withLook(second, look(15, 'a')).at).toBe(10)
    expect(withLook(withEdit(first), look(10, 'b', { edits: 1 })).at).toBe(0)
  })

  test('that comes in late takes nothing from what the lane has done since', () => {
    const first = withLook(run, look(5, 'a'))
    const since = withCommand(withMarks(first, ['said:new'], 12), '2020-01-02T00:00:00.000Z')
    const late = withLook(since, look(10, 'b'))
    expect(late).toMatchObject({ at: 12, workspace: { commands: 2, looked: { at: 10 } } })
    expect(isLookDue(lane(late, 17), 25)).toBe(true)
  })
})

describe('a lane alternates', () => {
  const turns = (count: number, of: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => of(i)).reduce((progress, each) => called(progress, each, 0), noProgress)

  test('when its last calls were a few, all of them known', () => {
    expect(
      standstillOf(
        lane(
          turns(12, (i) => `${i % 3}`),
          12,
        ),
        25,
      ),
    ).toBe('alternating')
    expect(
      standstillOf(
        lane(
          turns(11, (i) => `${i % 3}`),
          11,
        ),
        25,
      ),
    ).toBe(null)
    expect(
      standstillOf(
        lane(
          turns(12, (i) => `${i % 4}`),
          12,
        ),
        25,
      ),
    ).toBe(null)
    expect(
      standstillOf(
        lane(
          turns(12, () => '0'),
          12,
        ),
        undefined,
      ),
    ).toBe(null)
    expect(
      standstillOf(
        lane(
          turns(12, (i) => `${i % 3}`),
          25,
        ),
        25,
      ),
    ).toBe('alternating')
  })

  test('never while any of them brings something new', () => {
    const edited = Array.from({ length: 60 }, (_, i) => i).reduce(
      (progress, i) => called(progress, `${i % 2}`, i, i % 10 === 0 ? [`file:${i}`] : []),
      noProgress,
    )
    expect(standstillOf(lane(edited, 60), 25)).toBe(null)
  })
})

const event = fc.oneof(
  fc.record({
    marks: fc.array(fc.string({ maxLength: 3 }), { maxLength: 3 }),
    fingerprint: fc.string({ maxLength: 1 }),
  }),
  fc.constant(null),
)

test('a lane stalls exactly when its last turns showed nothing new, and its memory stays bounded', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 400 }), fc.integer({ min: 1, max: 25 }), (events, most) => {
      let progress = noProgress
      let last = 0
      let known: readonly string[] = []
      const all = new Set<string>()
      for (const [i, happened] of events.entries()) {
        const turn = i + 1
        if (happened !== null) {
          progress = withCall(progress, happened, turn)
          const isNew = happened.marks.some((mark) => !all.has(mark))
          known = isNew ? [] : [...known, happened.fingerprint].slice(-limits.stall.calls)
          if (isNew) last = turn
          for (const mark of happened.marks) all.add(mark)
        }
        expect(progress.seen.length).toBeLessThanOrEqual(limits.stall.marks)
        if (all.size > limits.stall.marks) return
        const alternates = known.length === limits.stall.calls && new Set(known).size <= limits.stall.distinctCalls
        const expected = alternates ? 'alternating' : turn - last >= most ? 'no_progress' : null
        expect(standstillOf(lane(progress, turn), most)).toBe(expected)
      }
    }),
  )
})

describe('of an output', () => {
  test.each([
    ['Tests: 3 failed (1.2 s)', 'Tests: 3 failed (980ms)'],
    ['# duration_ms 12.345', '# duration_ms 6'],
    ['at 2026-11-23T03:31:44.123Z', 'at 2025-01-02T10:00:00Z'],
    ['03:31:44 done', '13:00:01 done'],
    ['at 0x7ffe1234abcd', 'at 0x55d0c0ffee00'],
    ['see /tmp/a8f3/x.log for more', 'see /tmp/zz/y.log for more'],
    ['Finished in 1m 2.5s', 'Finished in 59s'],
    ['started at 1763868704123', 'started at 1763868999999'],
    ['time="0.003"', 'time="1.2"'],
  ])('times, durations, addresses and temporary paths do not count: %s', (one, other) => {
    expect(normalisedOutput(one)).toBe(normalisedOutput(other))
  })

  test.each([
    ['3 failed', '2 failed'],
    ['src/a.ts:12:4 wrong', 'src/a.ts:13:4 wrong'],
    ['expected 5 to be 6', 'expected 5 to be 7'],
    ['exit code 1', 'exit code 2'],
    ['value 0x1f', 'value 0x2f'],
  ])('all else does: %s', (one, other) => {
    expect(normalisedOutput(one)).not.toBe(normalisedOutput(other))
  })

  test('the rest stays, whatever it is, and a second time changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        const once = normalisedOutput(text)
        expect(normalisedOutput(once)).toBe(once)
      }),
    )
  })
})
