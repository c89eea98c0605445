import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countVerdict, type Failures, noFailures, type VerdictEvent } from '../../src/domain/story/failures.ts'
import type { Verdict } from '../../src/domain/verification/verdict.ts'

type Status = Verdict['status']

/** The events of a sequence of verdicts, until the story would end. */
function play(statuses: readonly Status[]) {
  const events: VerdictEvent[] = []
  const history: Failures[] = [noFailures]
  for (const status of statuses) {
    const { event, failures } = countVerdict(status, history.at(-1) ?? noFailures)
    events.push(event)
    history.push(failures)
  }
  return { events, history }
}

const fails = (count: number): Status[] => Array(count).fill('FAIL')
const verdicts = fc.array(fc.constantFrom<Status>('PASS', 'FAIL', 'FAIL', 'FAIL', 'FAIL', 'INFRA_ERROR'), {
  maxLength: 60,
})

describe('verdicts', () => {
  test('replan after 3, 6 and 9 failures in a row and stop at 12, without a replan', () => {
    const { events } = play(fails(12))
    expect(events).toEqual([
      'failed',
      'failed',
      'replan',
      'failed',
      'failed',
      'replan',
      'failed',
      'failed',
      'replan',
      'failed',
      'failed',
      'hard_stop',
    ])
  })

  test('start from nothing after a PASS', () => {
    expect(play([...fails(11), 'PASS']).history.at(-1)).toEqual({ consecutive: 0, loops: 0 })
    expect(play([...fails(11), 'PASS', ...fails(12)]).events.indexOf('hard_stop')).toBe(23)
  })

  test('count on in all after a REPLAN, but not in a row', () => {
    expect(play(fails(3)).history.at(-1)).toEqual({ consecutive: 0, loops: 3 })
  })

  test('of the infrastructure change no counter', () => {
    const { events, history } = play(['FAIL', 'FAIL', 'INFRA_ERROR', 'FAIL'])
    expect(events).toEqual(['failed', 'failed', 'infra_error', 'replan'])
    expect(history[3]).toEqual(history[2])
  })

  test('of any sequence replan after 3 in a row, stop at 12 in all, and start again with a PASS', () => {
    fc.assert(
      fc.property(verdicts, (statuses) => {
        const { events, history } = play(statuses)
        let inAll = 0
        let inRow = 0
        for (const [i, status] of statuses.entries()) {
          const after = history[i + 1]
          if (status === 'INFRA_ERROR') {
            expect(events[i]).toBe('infra_error')
            expect(after).toEqual(history[i])
            continue
          }
          if (status === 'PASS') {
            inAll = 0
            inRow = 0
            expect(events[i]).toBe('passed')
            expect(after).toEqual({ consecutive: 0, loops: 0 })
            continue
          }
          inAll += 1
          inRow += 1
          const wanted = inAll >= 12 ? 'hard_stop' : inRow === 3 ? 'replan' : 'failed'
          expect(events[i]).toBe(wanted)
          if (wanted === 'replan') inRow = 0
          if (wanted === 'hard_stop') return // The story has ended.
          expect(after).toEqual({ consecutive: inRow, loops: inAll })
        }
      }),
      { numRuns: 500 },
    )
  })

  test('stop a story that only fails after exactly 12 verifications, whatever infrastructure errors were before', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 40 }), (infra) => {
        const statuses = infra.map((is): Status => (is ? 'INFRA_ERROR' : 'FAIL'))
        const { events } = play(statuses)
        const failed = statuses.filter((status) => status === 'FAIL').length
        expect(events.filter((event) => event === 'replan').length).toBe(Math.min(3, Math.floor(failed / 3)))
        expect(events.includes('hard_stop')).toBe(failed >= 12)
      }),
    )
  })
})

describe('a flaky FAIL', () => {
  const flaky = (before: Failures) => countVerdict('FAIL', before, { isFlaky: true })

  test('counts towards the hard stop, and forces no REPLAN', () => {
    expect(flaky({ consecutive: 2, loops: 5 })).toEqual({ event: 'failed', failures: { consecutive: 2, loops: 6 } })
    expect(flaky({ consecutive: 2, loops: 11 }).event).toBe('hard_stop')
  })
})

test('the 12th FAIL since the last PASS of the whole change is the hard stop, whatever the causes, slices and flaky tests included', () => {
  const one = fc.record({
    status: fc.constantFrom<Status>('PASS', 'FAIL', 'FAIL', 'INFRA_ERROR'),
    isFlaky: fc.boolean(),
    isWhole: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(one, { maxLength: 60 }), (verdicts) => {
      let failures = noFailures
      let failed = 0
      for (const { status, ...kind } of verdicts) {
        const counted = countVerdict(status, failures, kind)
        failures = counted.failures
        if (status === 'FAIL') failed += 1
        if (status === 'PASS' && kind.isWhole) failed = 0
        expect(counted.event === 'hard_stop').toBe(failed >= 12)
        if (failed >= 12) return
      }
    }),
    { numRuns: 500 },
  )
})
