import { describe, expect, test } from 'vitest'
import { isUnresolved, kept } from '../../src/domain/run/retention.ts'
import type { Run } from '../../src/domain/run/run.ts'
import { type RunState, runStates } from '../../src/domain/run/run-machine.ts'
import type { Verification, VerificationState } from '../../src/domain/verification/verification.ts'

const now = new Date('2026-11-22T00:00:00Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString()

const runOf = (id: string, state: RunState, kind = 'task') =>
  ({ id, state, data: { request: { kind } } }) as unknown as Run
const verificationOf = (runId: string, run: string, days: number, state: VerificationState = 'ENDED') =>
  ({ run, state, data: { runId, requestedAt: daysAgo(days) } }) as Verification
/** Verifications of one Run, the newest first. */
const many = (run: string, count: number, days: number) =>
  Array.from({ length: count }, (_, i) => verificationOf(`${run}-${String(i).padStart(2, '0')}`, run, days + i / 1000))

const keptOf = (runs: readonly Run[], verifications: readonly Verification[]) =>
  [...kept({ runs, verifications, now })].sort()

describe('of verifications of Runs that have ended', () => {
  test('the newest 20 stay, and all of the newest Run', () => {
    const verifications = [...many('new', 3, 0), ...many('old', 23, 1)]
    expect(keptOf([runOf('new', 'DONE'), runOf('old', 'DONE')], verifications.toReversed())).toEqual(
      verifications.slice(0, 20).map(({ data }) => data.runId),
    )
    const large = [...many('large', 120, 0), ...many('old', 23, 1)]
    expect(keptOf([runOf('large', 'DONE'), runOf('old', 'DONE')], large)).toEqual(
      large
        .slice(0, 120)
        .map(({ data }) => data.runId)
        .toSorted(),
    )
    const during = [...many('going', 2, 0), ...large]
    expect(keptOf([runOf('going', 'MONITORING'), runOf('large', 'DONE')], during)).toHaveLength(122)
  })

  test('none is kept for more than 14 days', () => {
    const verifications = [verificationOf('young', 'done', 14), verificationOf('old', 'done', 14.01)]
    expect(keptOf([runOf('done', 'DONE')], verifications)).toEqual(['young'])
  })

  test('one that was cancelled does not stay', () => {
    const verifications = [verificationOf('whole', 'ended', 0), verificationOf('part', 'ended', 0, 'CANCELLED')]
    expect(keptOf([runOf('ended', 'CANCELLED')], verifications)).toEqual(['whole'])
  })
})

describe('of other verifications', () => {
  test.each(runStates.filter((state) => !['DONE', 'NO_CHANGE', 'TOO_VAGUE', 'CANCELLED'].includes(state)))(
    'all stay while the Run is %s',
    (state) => {
      const verifications = [...many('held', 25, 100), ...many('done', 20, 1)]
      expect(keptOf([runOf('held', state), runOf('done', 'DONE')], verifications)).toHaveLength(45)
    },
  )

  test('one of a merge that was cancelled stays until its Run has ended, since it is taken up again under its id', () => {
    const { run, data } = verificationOf('merge', 'held', 1)
    const cancelled = { run, state: 'CANCELLED', data: { ...data, merge: 'merge/1' } } as Verification
    const change = { run, state: 'CANCELLED', data: { ...data, runId: 'change', merge: null } } as Verification
    expect(keptOf([runOf('held', 'MONITORING', 'spec')], [cancelled, change])).toEqual(['merge'])
    expect(keptOf([runOf('held', 'DONE', 'spec')], [cancelled, change])).toEqual([])
  })

  test('one that is asked for stays, whatever its Run', () => {
    expect(keptOf([], [verificationOf('asked', 'gone', 100, 'REQUESTED')])).toEqual(['asked'])
  })

  test('those of a stuck Run count like any others once it is DONE or cancelled', () => {
    expect(keptOf([runOf('was-stuck', 'DONE')], many('was-stuck', 25, 100))).toEqual([])
    expect(
      keptOf(
        [runOf('new', 'DONE'), runOf('was-stuck', 'CANCELLED')],
        [...many('new', 1, 0), ...many('was-stuck', 25, 1)],
      ),
    ).toHaveLength(20)
  })
})

test('only a task has a stuck report that needs somebody', () => {
  expect(isUnresolved(runOf('a', 'INFRA_ERROR', 'verify'))).toBe(false)
  expect(isUnresolved(runOf('a', 'INFRA_ERROR'))).toBe(true)
})
