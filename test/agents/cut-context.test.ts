import { describe, expect, test } from 'vitest'
import { conversationOf } from '../../src/agents/conversation.ts'
import type { LaneDependencies, LaneStep } from '../../src/agents/lane.ts'
import { sentMessages } from '../../src/agents/sent-messages.ts'
import { advanceLane } from '../../src/agents/tool-loop.ts'
import type { ReadContext } from '../../src/agents/tools/tool.ts'
import { freshLane, type Lane, type LaneData } from '../../src/domain/lane/lane.ts'
import type { Message } from '../../src/domain/lane/message.ts'
import { limits } from '../../src/domain/limits.ts'
import type { ModelError, ModelReply, ModelRequest } from '../../src/ports/model.ts'
import { asking, laneOf, says } from './asking.ts'

const never = new AbortController().signal
const window = 20_000

/** Each turn reads a file of about `tokens`, and says as much as `said`. */
function conversation(
  turns: number,
  { tokens, said = 1 }: { readonly tokens: number; readonly said?: number },
): Message[] {
  const read = (n: number): Message[] => [
    {
      role: 'assistant',
      text: 'so '.repeat(said),
      calls: [{ id: `${n}`, tool: 'read_file', input: { path: `${n}.txt` } }],
    },
    { role: 'tool', results: [{ callId: `${n}`, tool: 'read_file', output: 'of '.repeat(tokens), ok: true }] },
  ]
  return [{ role: 'user', text: 'Look.' }, ...Array.from({ length: turns }, (_, n) => read(n)).flat()]
}

interface AdvanceResult {
  readonly step: LaneStep
  readonly asked: readonly ModelRequest[]
}

async function advance(
  messages: readonly Message[],
  {
    reply = says('Hm.'),
    more = {},
    contextWindow = window,
  }: {
    readonly reply?: ModelReply
    readonly more?: Partial<LaneData>
    readonly contextWindow?: number | null
  } = {},
): Promise<AdvanceResult> {
  const lane = laneOf({ turn: 9, iterations: 3, ...more })
  const conversation = conversationOf(lane.data, messages)
  const deps: LaneDependencies & { readonly asked: ModelRequest[] } = { ...asking(reply), conversation, contextWindow }
  const step = await advanceLane(lane, deps, never)
  return { step, asked: deps.asked }
}

/** A call of the tool with which a coder keeps its list. */
function keepList(input: Record<string, never>, more: Partial<LaneData>): Promise<LaneStep> {
  const call = { id: 'call', tool: 'update_todos', input }
  const lane = laneOf({ role: 'editor_coding', turn: 1, iterations: 1, ...more, calls: [call], results: [] })
  const readContext = async () => ({}) as ReadContext
  return advanceLane({ ...lane, state: 'ACTING' }, { ...asking(says('')), readContext }, never)
}

const failing = (error: Partial<ModelError>): ModelReply => ({
  stop: 'error',
  error: { kind: 'context_overflow', message: 'too long', retryable: false, retryAfterMs: null, ...error },
  usage: null,
})

describe('a conversation that nears the window', () => {
  test('is sent as it is while it fits, and to a recording always', async () => {
    const short = conversation(4, { tokens: 1_000 })
    expect((await advance(short)).asked).toMatchObject([{ turn: 9, messages: short }])
    const long = conversation(12, { tokens: 2_000 })
    expect((await advance(long, { contextWindow: null })).asked).toMatchObject([{ turn: 9, messages: long }])
  })

  test('has its old results shortened, without asking anybody, when that makes room', async () => {
    const messages = conversation(10, { tokens: 1_800 })
    const { step, asked } = await advance(messages)
    expect(asked).toEqual([])
    expect(step).toMatchObject({
      event: 'again',
      messages: [],
      data: { turn: 9, cut: { ...freshLane.cut, shortenedTo: 13 } },
    })
    const { before = 0, after = 0 } = step.cut ?? {}
    expect(step.cut?.stage).toBe('shortened')
    expect(before).toBeGreaterThan(limits.context.cutAt * window)
    expect(after).toBeLessThan(limits.context.cutTo * window)
    const next = await advance(messages, { more: step.data })
    expect(next.asked).toMatchObject([{ turn: 9, messages: sentMessages(messages, step.data.cut) }])
  })

  test('uses the count of its provider instead of an estimate', async () => {
    const messages = conversation(4, { tokens: 100 })
    const { step } = await advance(messages, { more: { measured: { tokens: 16_000, messages: messages.length } } })
    expect(step.cut).toMatchObject({ before: 16_000 })
    expect(step.data.measured?.tokens).toBe(step.cut?.after)
  })

  test('is summarized by its model, beside the lane, when shortening is not enough', async () => {
    const messages = conversation(10, { tokens: 100, said: 1_800 })
    const usage = { input: 18_000, output: 20, cacheRead: 0, cacheWrite: 0 }
    const { step, asked } = await advance(messages, { reply: { ...says('I have read.'), usage } as ModelReply })
    expect(asked).toMatchObject([{ lane: 'scout/codebase/task/1.1/summary', turn: 0, system: 'You look.' }])
    const [request] = asked
    expect(request?.messages.at(-1)).toMatchObject({ role: 'user', text: expect.stringContaining('<context_limit>') })
    expect(request?.tools.map(({ name }) => name)).toContain('submit_report')
    expect(step).toMatchObject({
      event: 'again',
      messages: [],
      data: { turn: 9, iterations: 3, cut: { summaryCalls: 1, summary: { text: 'I have read.' } } },
      modelCall: { lane: 'run/lane/summary', turn: 0, usage },
      cut: { stage: 'summarized' },
    })
    expect(step.cut?.after).toBeLessThan(limits.context.cutTo * window)
    const sent = sentMessages(messages, step.data.cut)
    // The request contains as many of the last turns as fit.
    expect(sent.slice(2)).toEqual(messages.slice(-2 * Math.floor((sent.length - 2) / 2)))
    expect(sent.length).toBeGreaterThan(4)
  })

  test('comes with the list that its model keeps of its work, as it was last given', async () => {
    const list = (todos: unknown, data: Partial<LaneData> = {}) => keepList({ todos } as never, data)
    const first = await list([{ text: 'read', status: 'in_progress' }])
    const todos = [
      { text: 'read', status: 'completed' },
      { text: 'write </todos>', status: 'in_progress' },
      { text: 'test', status: 'pending' },
    ]
    const second = await list(todos, first.data)
    expect(second.toolExecutions).toMatchObject([{ success: true, result: 'Kept: 1 of 3 done.' }])
    for (const wrong of [
      [{ text: 'read', status: 'done' }],
      [{ text: '', status: 'pending' }],
      Array(51).fill(todos[0]),
    ]) {
      const refused = await list(wrong, second.data)
      expect(refused.toolExecutions).toMatchObject([
        { success: false, result: expect.stringContaining('is not valid') },
      ])
      expect(refused.data.todos).toEqual(todos)
    }
    const messages = conversation(10, { tokens: 100, said: 1_800 })
    const { step } = await advance(messages, { reply: says('I have read.'), more: { todos: second.data.todos ?? [] } })
    const sent = sentMessages(messages, step.data.cut)
    const shown = '<todos>\n[x] read\n[>] write <\\/todos>\n[ ] test\n</todos>'
    expect(sent[1]).toMatchObject({ role: 'user', text: expect.stringContaining(shown) })
    // A later list is part of the conversation, so the earlier messages stay unchanged.
    const later = { ...step.data, todos: [] }
    expect(sentMessages(messages, later.cut)).toEqual(sent)
  })

  test('leaves room for the reply, also of a small model', async () => {
    const { asked } = await advance(conversation(1, { tokens: 10 }))
    expect(asked[0]?.maxOutputTokens).toBe(5_000)
  })

  test('is sent as it is when it is all prompt', async () => {
    const prompt: Message = { role: 'user', text: 'word '.repeat(30_000) }
    const { asked } = await advance([prompt])
    expect(asked).toMatchObject([{ turn: 9, messages: [prompt] }])
  })
})

describe('a summary that cannot be had', () => {
  const messages = conversation(10, { tokens: 100, said: 1_800 })

  test('for now is asked for again later, and on record', async () => {
    const { step } = await advance(messages, { reply: failing({ kind: 'overloaded', retryable: true }) })
    expect(step).toMatchObject({
      data: { turn: 9, failedCalls: 1, cut: { ...freshLane.cut, summaryCalls: 1 } },
      modelCall: { lane: 'run/lane/summary', turn: 0, error: 'overloaded: too long' },
      delayMs: 750,
    })
    expect(step.cut).toBeUndefined()
    const { asked } = await advance(messages, { more: step.data })
    expect(asked).toMatchObject([{ turn: 1 }])
  })

  test.each([
    ['because all of it is too long', failing({})],
    ['because there is no text in it', says(' ')],
  ])('%s is done without', async (_, reply) => {
    const { step } = await advance(messages, { reply })
    expect(step.data.cut.summary?.text).toBe('')
    expect(step.cut?.stage).toBe('summarized')
    expect(sentMessages(messages, step.data.cut)[1]).toMatchObject({
      text: expect.stringContaining('no summary of it'),
    })
  })

  test('for a wrong key stops the Run', async () => {
    const { step } = await advance(messages, { reply: failing({ kind: 'auth' }) })
    expect(step.request).toMatchObject({ type: 'model_failed', error: { kind: 'auth' } })
  })
})

describe('a conversation that is refused as too long', () => {
  const messages = conversation(6, { tokens: 1_000 })
  const steps = async (lane: Lane, deps: LaneDependencies) =>
    (await advanceLane(lane, { ...deps, conversation: conversationOf(lane.data, messages) }, never)).data

  test('is as long as its provider counted, however many bytes its tokens have', async () => {
    // Four bytes for each token.
    const counted = Math.ceil(JSON.stringify(messages).length / 4)
    const more = { measured: { tokens: counted + 100, messages: messages.length } }
    const { step } = await advance(messages, { reply: failing({}), contextWindow: null, more })
    expect(step.data.cut.overflow?.tokens).toBeLessThan(counted * 1.2)
  })

  test('is cut to less than what was refused, and sent once more', async () => {
    // A server that counts too few tokens must not make the lane assume that messages are free.
    const measured = { tokens: 50, messages: messages.length }
    const { step } = await advance(messages, { reply: failing({}), contextWindow: null, more: { measured } })
    expect(step).toMatchObject({
      event: 'again',
      data: { turn: 10, failedCalls: 0 },
      failure: { kind: 'context_overflow' },
    })
    expect(step.request).toBeUndefined()
    const refused = step.data.cut.overflow?.tokens ?? 0
    expect(refused).toBeGreaterThan(5_000)
    const deps = asking(says('Hm.'))
    const cut = await steps(laneOf(step.data), deps)
    expect(cut.cut.summary).not.toBeNull()
    const answered = await steps(laneOf(cut), deps)
    expect(deps.asked.map(({ lane }) => lane)).toEqual(['scout/codebase/task/1.1/summary', 'scout/codebase/task/1.1'])
    expect(answered.cut.overflow).toEqual({ tokens: refused, answered: true })
  })

  test('twice, or with nothing to cut, is too long', async () => {
    const overflow = { tokens: 90_000, answered: false }
    const again = await advance(messages, { reply: failing({}), more: { cut: { ...freshLane.cut, overflow } } })
    expect(again.step.request).toMatchObject({ type: 'model_failed', error: { kind: 'context_overflow' } })
    const first = await advance(messages.slice(0, 1), { reply: failing({}) })
    expect(first.step.request).toMatchObject({ type: 'model_failed' })
  })
})
