import { describe, expect, test } from 'vitest'
import { advanceLane } from '../../src/agents/tool-loop.ts'
import type { Lane } from '../../src/domain/lane/lane.ts'
import { limits } from '../../src/domain/limits.ts'
import type { ModelError, ModelReply } from '../../src/ports/model.ts'
import { asking, laneOf, says } from './asking.ts'

const never = new AbortController().signal

const fails = (more: Partial<ModelError> = {}): ModelReply => ({
  stop: 'error',
  error: { kind: 'overloaded', message: 'busy', retryable: true, retryAfterMs: null, ...more },
  usage: null,
})

describe('a lane that asks', () => {
  test('sends its system prompt, its messages and its tools, named by lane and turn', async () => {
    const deps = asking(says('Hm.'))
    await advanceLane(laneOf({ turn: 3 }), deps, never)
    expect(deps.asked).toMatchObject([
      {
        lane: 'scout/codebase/task/1.1',
        turn: 3,
        system: 'You look.',
        messages: [{ role: 'user', text: 'Look.' }],
        maxOutputTokens: limits.replyTokens,
      },
    ])
    expect(deps.asked[0]?.tools.map(({ name }) => name)).toEqual([
      'read_file',
      'list_files',
      'search_files',
      'submit_report',
    ])
  })

  test('offers the same tools at every request, also near the limit', async () => {
    const tools = []
    for (const iterations of [0, 8, 14]) {
      const deps = asking(says('Hm.'))
      await advanceLane(laneOf({ iterations }), deps, never)
      tools.push(JSON.stringify(deps.asked[0]?.tools))
    }
    expect(new Set(tools).size).toBe(1)
  })

  test('never sends its sixteenth request', async () => {
    const deps = asking(says('Hm.'))
    const step = await advanceLane(laneOf({ iterations: 15 }), deps, never)
    expect(deps.asked).toEqual([])
    expect(step).toMatchObject({ event: 'stopped', request: { type: 'stopped', stop: 'iteration_limit' } })
  })

  test('keeps the warning that went with a request in the conversation', async () => {
    const deps = asking(says('Hm.'))
    const step = await advanceLane(laneOf({ iterations: 7 }), deps, never)
    expect(step.messages[0]).toEqual(deps.asked[0]?.messages.at(-1))
    expect(step.messages[0]).toMatchObject({ role: 'user', text: expect.stringContaining('<iteration_limit>') })
  })

  test('does not keep the warning of a request that failed', async () => {
    const step = await advanceLane(laneOf({ iterations: 7 }), asking(fails()), never)
    expect(step.messages).toEqual([])
  })

  test.each([
    ['end', 'Only tool calls have an effect'],
    ['length', 'cut off at the token limit'],
    ['refused', 'withheld your reply'],
  ] as const)('answers a reply that stopped with %s by saying so', async (stop, words) => {
    const step = await advanceLane(laneOf(), asking(says('Hm.', stop)), never)
    expect(step).toMatchObject({ event: 'again', data: { turn: 1, iterations: 1 } })
    expect(step.messages).toMatchObject([
      { role: 'assistant', text: 'Hm.', calls: [] },
      { role: 'user', text: expect.stringContaining(words) },
    ])
  })

  test('runs no call of a reply that was cut off', async () => {
    const cut = { ...says('', 'length'), calls: [{ id: '1', tool: 'read_file', input: { path: 'a' } }] } as ModelReply
    const step = await advanceLane(laneOf(), asking(cut), never)
    expect(step).toMatchObject({ event: 'again', data: { calls: [] } })
  })

  test('sends the provider’s own form of a reply back only when nothing of it was cut', async () => {
    const raw = { provider: 'p', content: 'opaque' }
    const kept = await advanceLane(laneOf(), asking({ ...says('Hm.'), raw } as ModelReply), never)
    expect(kept.messages[0]).toMatchObject({ raw })
    const long = await advanceLane(laneOf(), asking({ ...says('x'.repeat(100_000)), raw } as ModelReply), never)
    expect(long.messages[0]).not.toHaveProperty('raw')
  })
})

describe('a lane for which a human has written', () => {
  const news = { text: '<guidance from="human">Use tabs.</guidance>', upTo: '17' }

  test('is told with its next request, before a warning, and has then heard it', async () => {
    const deps = { ...asking(says('Hm.')), news }
    const step = await advanceLane(laneOf({ iterations: 7, heard: '9' }), deps, never)
    expect(deps.asked[0]?.messages).toEqual([
      { role: 'user', text: 'Look.' },
      { role: 'user', text: news.text },
      { role: 'user', text: expect.stringContaining('<iteration_limit>') },
    ])
    expect(step.messages.slice(0, 2)).toEqual(deps.asked[0]?.messages.slice(1))
    expect(step.data.heard).toBe('17')
  })

  test('has not heard it when the call fails', async () => {
    for (const heard of [null, '9']) {
      const step = await advanceLane(laneOf({ heard }), { ...asking(fails()), news }, never)
      expect(step).toMatchObject({ messages: [], data: { heard } })
    }
  })

  test('keeps what it has heard of while there is nothing new', async () => {
    const step = await advanceLane(laneOf({ heard: '9' }), asking(says('Hm.')), never)
    expect(step.data.heard).toBe('9')
  })
})

describe('a model call that failed', () => {
  test('is tried again later, longer each time and with jitter', async () => {
    const delays = []
    for (const failedCalls of [0, 1, 2, 3, 4]) {
      const step = await advanceLane(laneOf({ failedCalls }), asking(fails()), never)
      expect(step).toMatchObject({ event: 'again', data: { turn: 1, iterations: 0, failedCalls: failedCalls + 1 } })
      delays.push(step.delayMs)
    }
    expect(delays).toEqual([750, 1_500, 3_000, 6_000, 12_000])
    const lucky = await advanceLane(laneOf(), asking(fails(), 0), never)
    expect(lucky.delayMs).toBe(500)
  })

  test('waits at least as long as the provider asks', async () => {
    const step = await advanceLane(laneOf(), asking(fails({ retryAfterMs: 9_000 })), never)
    expect(step).toMatchObject({ delayMs: 9_000, data: { failedCalls: 1, rest: null } })
  })

  test('for a wait that is long suspends the lane, however long it is', async () => {
    for (const [asked, waited, until] of [
      [90_000, 90_000, '2031-01-01T00:01:30.000Z'],
      [8.64e15, limits.longestModelWaitMs, '2031-01-02T00:00:00.000Z'],
    ] as const) {
      const lane = laneOf({ turn: 4, failedCalls: limits.modelTries - 1 })
      const step = await advanceLane(lane, asking(fails({ retryAfterMs: asked })), never)
      expect(step).toMatchObject({ delayMs: waited, modelCall: { turn: 4, stop: 'error' } })
      expect(step.data).toMatchObject({ turn: 5, failedCalls: 0, rest: { because: 'provider', reason: 'busy', until } })
      expect(step.request).toBeUndefined()
    }
  })

  test('while its provider answers nobody is a turn, but not a try', async () => {
    const lane = laneOf({ turn: 4, failedCalls: limits.modelTries - 1 })
    const step = await advanceLane(lane, asking(fails({ outage: true, retryAfterMs: 2_000 })), never)
    expect(step).toMatchObject({ delayMs: 2_000, modelCall: { turn: 4 }, messages: [] })
    expect(step.data).toMatchObject({ turn: 5, failedCalls: 0, rest: { until: '2031-01-01T00:00:02.000Z' } })
    const forGood = await advanceLane(lane, asking(fails({ retryable: false, retryAfterMs: 90_000 })), never)
    expect(forGood.request).toMatchObject({ type: 'model_failed' })
  })

  test('that was not made leaves nothing behind but why the lane waits, until there is a reply', async () => {
    const before = laneOf({ turn: 4, failedCalls: 2, heard: '9' })
    const news = { text: 'Use tabs.', upTo: '17' }
    const suspended = fails({ kind: 'suspended', message: 'nobody is in', retryAfterMs: 4_000 })
    const step = await advanceLane(before, { ...asking(suspended), news }, never)
    const since = '2031-01-01T00:00:00.000Z'
    const until = '2031-01-01T00:00:04.000Z'
    const why = { because: 'provider', since, reason: 'nobody is in', until } as const
    expect(step).toEqual({
      event: 'again',
      data: { ...before.data, rest: why },
      messages: [],
      delayMs: 4_000,
    })
    const answered = await advanceLane(laneOf({ rest: why }), asking(says('Hm.')), never)
    expect(answered.data.rest).toBeNull()
  })

  test('too often in a row while others are answered, or for good, is handed to the workflow', async () => {
    const last = await advanceLane(laneOf({ failedCalls: limits.modelTries - 1 }), asking(fails()), never)
    expect(last.request).toMatchObject({ type: 'model_failed', error: { kind: 'overloaded' } })
    const forGood = await advanceLane(laneOf(), asking(fails({ kind: 'auth', retryable: false })), never)
    expect(forGood.request).toMatchObject({ type: 'model_failed', error: { kind: 'auth' } })
  })

  test('is on record with its reason, and forgotten after a reply', async () => {
    const failed = await advanceLane(laneOf({ turn: 4 }), asking(fails()), never)
    expect(failed.modelCall).toMatchObject({ turn: 4, stop: 'error', error: 'overloaded: busy', usage: null })
    const answered = await advanceLane(laneOf({ failedCalls: 3 }), asking(says('Hm.')), never)
    expect(answered.data.failedCalls).toBe(0)
  })

  test('because a replay file lacks the turn does not count as a turn', async () => {
    const missing = fails({ kind: 'replay_missing', retryable: false })
    const step = await advanceLane(laneOf({ turn: 2 }), asking(missing), never)
    expect(step).toMatchObject({ data: { turn: 2 }, request: { type: 'model_failed' } })
    expect(step.modelCall).toBeUndefined()
  })

  test('is nothing when the process is stopping', async () => {
    const stopping = AbortSignal.abort(new Error('stopping'))
    await expect(advanceLane(laneOf(), asking(fails({ kind: 'interrupted' })), stopping)).rejects.toThrow('stopping')
  })
})

describe('a call', () => {
  const reading = (): Lane => ({
    ...laneOf({ turn: 1, iterations: 1, calls: [{ id: '1', tool: 'read_file', input: { path: 'a' } }] }),
    state: 'ACTING',
  })
  const hanging = {
    ...asking(says('')),
    toolTimeoutSec: 0.05,
    readContext: (signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  }

  test('that takes too long is given up, and the model told', async () => {
    const step = await advanceLane(reading(), hanging, never)
    expect(step).toMatchObject({
      event: 'all_answered',
      messages: [
        { role: 'tool', results: [{ ok: false, output: '`read_file` did not end within 0.05 s and was stopped' }] },
      ],
    })
  })

  test('that is given up because the process stops has no result', async () => {
    const stopping = new AbortController()
    const step = advanceLane(reading(), { ...hanging, toolTimeoutSec: 30 }, stopping.signal)
    setTimeout(() => stopping.abort(new Error('stopping')), 20)
    await expect(step).rejects.toThrow('stopping')
  })

  test('that fails unexpectedly is a bug, not a result', async () => {
    const broken = { ...hanging, toolTimeoutSec: 30, readContext: () => Promise.reject(new Error('no such luck')) }
    await expect(advanceLane(reading(), broken, never)).rejects.toThrow('no such luck')
  })
})
