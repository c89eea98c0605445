import { expect, test } from 'vitest'
import { failCall } from '../../src/agents/fail-call.ts'
import type { LaneData } from '../../src/domain/lane/lane.ts'
import { limits } from '../../src/domain/limits.ts'
import type { ModelError } from '../../src/ports/model.ts'
import { asking, laneOf, says } from './asking.ts'

const error = (more: Partial<ModelError>): ModelError => ({
  kind: 'interrupted',
  message: 'wire: it broke',
  retryable: true,
  retryAfterMs: null,
  ...more,
})

/** Repeats a failing call of a lane, until it gives up or waits for its provider. */
async function failing(failure: ModelError, { hasAnswered }: { readonly hasAnswered: boolean }) {
  const patience = { ...asking(says('')).patience, hasAnswered: async () => hasAnswered }
  let data: LaneData = laneOf().data
  for (let calls = 1; calls <= 100; calls += 1) {
    const step = await failCall(data, failure, patience)
    data = step.data
    if (step.request?.type === 'model_failed') return { calls, gaveUp: step.request.error }
    if (data.rest !== null) return { calls, rest: data.rest }
  }
  throw new Error('it neither gave up nor waited')
}

test.each([
  ['that break off', { came: 'broken_off' }],
  ['that break off while their provider answers nobody', { came: 'broken_off', outage: true, retryAfterMs: 60_000 }],
  ['that never end', { kind: 'timeout', came: 'unusable' }],
] as const)('after three replies in a row %s a human is asked', async (_, more) => {
  const patience = { ...asking(says('')).patience, hasAnswered: async () => true }
  let { data } = laneOf()
  const asked = []
  for (let calls = 1; calls <= 3; calls += 1) {
    const step = await failCall(data, error(more), patience)
    data = step.data
    asked.push(step.request?.type ?? null)
  }
  expect(asked).toEqual([null, null, 'model_failed'])
  // After a resume the lane has as many tries again.
  expect((await failCall(data, error(more), patience)).request).toBeUndefined()
})

test('a reply that breaks off among other failures is not the third of its kind', async () => {
  const patience = { ...asking(says('')).patience, hasAnswered: async () => true }
  const failures = [
    { came: 'broken_off' },
    { kind: 'overloaded' },
    { came: 'broken_off' },
    { came: 'broken_off' },
  ] as const
  let { data } = laneOf()
  for (const more of failures) {
    const step = await failCall(data, error(more), patience)
    expect(step.request).toBeUndefined()
    data = step.data
  }
})

test('invalid answers are requested again a few times, and never waited for', async () => {
  const broken = error({ came: 'unusable', outage: true, retryAfterMs: 60_000 })
  expect(await failing(broken, { hasAnswered: true })).toEqual({
    calls: limits.brokenReplies,
    gaveUp: { ...broken, message: `wire: it broke (${limits.brokenReplies} calls failed in a row)` },
  })
})

const page = error({ kind: 'bad_request', retryable: false, unreachable: true, todo: 'Correct the base URL' })

test('a page in the place of an API that nobody has ever reached ends the call at once', async () => {
  expect(await failing(page, { hasAnswered: false })).toEqual({ calls: 1, gaveUp: page })
})

test('a page after good answers is a fault that may pass, and no wrong base URL', async () => {
  const { calls, gaveUp } = await failing(page, { hasAnswered: true })
  expect(calls).toBe(limits.modelTries)
  expect(gaveUp?.todo).toMatch(/^It has answered before/)
})

test.each(['auth', 'unknown_model', 'no_access', 'bad_request'] as const)(
  'a failure as %s, which time does not mend, ends the call at once',
  async (kind) => {
    const failure = error({ kind, retryable: false })
    expect(await failing(failure, { hasAnswered: true })).toEqual({ calls: 1, gaveUp: failure })
  },
)

test('a wait of ten digits of seconds ends with the longest wait, and says when', async () => {
  const asked = error({ kind: 'rate_limited', retryAfterMs: limits.longestModelWaitMs })
  const { calls, rest } = await failing(asked, { hasAnswered: true })
  expect([calls, rest]).toEqual([1, expect.objectContaining({ until: '2031-01-02T00:00:00.000Z' })])
})
