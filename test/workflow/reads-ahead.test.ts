import { expect, test } from 'vitest'
import type { Answer } from '../../src/agents/answer-call.ts'
import { createReadsAhead } from '../../src/workflow/lane/reads-ahead.ts'
import { laneOf } from '../agents/asking.ts'

const read = (path: string) => ({ id: path, tool: 'read_file', input: { path } })
const never = new AbortController().signal
const replied = laneOf({ turn: 3, calls: [read('a')] })
const answers = [{ type: 'answered', call: read('a') }] as unknown as readonly Answer[]

test('answers that were read during the commit of a reply reach the next step once', async () => {
  const ahead = createReadsAhead()
  expect(await ahead.take(replied, never)).toBeNull()
  ahead.begin(replied, async () => answers)
  expect(await ahead.take(replied, never)).toBe(answers)
  expect(await ahead.take(replied, never)).toBeNull()
})

test('a reply that was not stored leaves nothing to the one that is asked for in its place', async () => {
  const ahead = createReadsAhead()
  ahead.begin(replied, async () => answers)
  ahead.drop(replied.id)
  expect(await ahead.take(replied, never)).toBeNull()
})

test('a lane that was taken elsewhere meanwhile gets nothing of an earlier turn', async () => {
  const ahead = createReadsAhead()
  ahead.begin(replied, async () => answers)
  expect(await ahead.take(laneOf({ turn: 4, calls: [read('b')] }), never)).toBeNull()
  expect(await ahead.take(replied, never)).toBeNull()
})

test('a read that failed is the failure of its step', async () => {
  const ahead = createReadsAhead()
  ahead.begin(replied, () => Promise.reject(new Error('the sandbox has ended')))
  await expect(ahead.take(replied, never)).rejects.toThrow('the sandbox has ended')
  expect(await ahead.take(replied, never)).toBeNull()
})

test.each(['its step is ended', 'its reply is not stored'])('a read that takes long ends when %s', async (why) => {
  const ahead = createReadsAhead()
  const ended = Promise.withResolvers<unknown>()
  ahead.begin(replied, (signal) => {
    signal.addEventListener('abort', () => ended.resolve(signal.reason))
    return ended.promise.then(() => Promise.reject(signal.reason))
  })
  const step = new AbortController()
  if (why === 'its step is ended') {
    const given = ahead.take(replied, step.signal)
    step.abort(new Error('Drydock is stopping'))
    await expect(given).rejects.toBe(step.signal.reason)
    expect(await ended.promise).toBe(step.signal.reason)
  } else {
    ahead.drop(replied.id)
    await ended.promise
  }
})

test('there may be nothing to read', async () => {
  const ahead = createReadsAhead()
  ahead.begin(replied, () => null)
  expect(await ahead.take(replied, never)).toBeNull()
})
