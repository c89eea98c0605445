import { expect, test } from 'vitest'
import { advanceLane, answersAhead } from '../../src/agents/tool-loop.ts'
import { done, type ReadContext } from '../../src/agents/tools/tool.ts'
import type { ToolCall } from '../../src/domain/lane/message.ts'
import { limits } from '../../src/domain/limits.ts'
import { asking, laneOf, says } from './asking.ts'

const never = new AbortController().signal
const read = (path: string, i: number): ToolCall => ({ id: `call-${i}`, tool: 'read_file', input: { path } })

/** Files that answer only when `together` of them are requested. */
function contextOf(together: number, asked: string[] = []): ReadContext {
  const all = Promise.withResolvers<void>()
  const none = async () => done('')
  return {
    signal: never,
    diff: none,
    artifact: none,
    output: none,
    messages: none,
    files: async () => ({
      ok: true,
      files: {
        async read(path: string) {
          asked.push(path)
          if (asked.length >= together) all.resolve()
          await all.promise
          return { ok: true, value: { path, base64: btoa(`text of ${path}\n`), sha256: '' } }
        },
      } as never,
    }),
  }
}

async function step(calls: readonly ToolCall[], context: ReadContext, results = 0) {
  const done = calls.slice(0, results).map(({ id, tool }) => ({ callId: id, tool, output: 'before', ok: true }))
  const lane = { ...laneOf({ turn: 1, iterations: 1, calls, results: done }), state: 'ACTING' as const }
  return advanceLane(lane, { ...asking(says('')), readContext: async () => context }, never)
}

test('reads of one reply run side by side, and are stored together in their order', async () => {
  const calls = ['a', 'b', 'c'].map(read)
  const { event, messages, toolExecutions = [] } = await step(calls, contextOf(3))
  expect(event).toBe('all_answered')
  expect(messages).toEqual([
    {
      role: 'tool',
      results: ['a', 'b', 'c'].map((path, i) => ({
        callId: `call-${i}`,
        tool: 'read_file',
        output: `1\ttext of ${path}`,
        ok: true,
      })),
    },
  ])
  expect(toolExecutions.map(({ index, callId, finishedAt }) => [index, callId, finishedAt !== null])).toEqual([
    [0, 'call-0', true],
    [1, 'call-1', true],
    [2, 'call-2', true],
  ])
})

test('no more than eight at once', async () => {
  const asked: string[] = []
  const calls = Array.from({ length: limits.readsAtOnce + 2 }, (_, i) => read(`file-${i}`, i))
  const { event, data } = await step(calls, contextOf(limits.readsAtOnce, asked))
  expect(event).toBe('call_answered')
  expect(asked).toHaveLength(limits.readsAtOnce)
  expect(data.results).toHaveLength(limits.readsAtOnce)
})

test('any other call waits for those before it, and those after it wait for it', async () => {
  const asked: string[] = []
  const calls = [read('a', 0), read('b', 1), { id: 'call-2', tool: 'nothing', input: {} }, read('c', 3)]
  expect((await step(calls, contextOf(2, asked))).data.results.map(({ callId }) => callId)).toEqual([
    'call-0',
    'call-1',
  ])
  expect((await step(calls, contextOf(9), 2)).data.results.map(({ callId }) => callId)).toEqual([
    'call-0',
    'call-1',
    'call-2',
  ])
  expect(asked).toEqual(['a', 'b'])
})

test('the same read again and again in one reply stops the lane as it would in several', async () => {
  const calls = Array.from({ length: limits.readsAtOnce }, (_, i) => read('a', i))
  const { event, toolExecutions = [] } = await step(calls, contextOf(limits.readsAtOnce))
  expect({ event, executions: toolExecutions.length }).toEqual({
    event: 'stopped',
    executions: limits.identicalCallsStop,
  })
})

test('reads are begun ahead of their step, which then reads nothing itself', async () => {
  const asked: string[] = []
  const calls = [read('a', 0), read('b', 1), { id: 'call-2', tool: 'submit_report', input: {} }]
  const lane = { ...laneOf({ turn: 1, iterations: 1, calls }), state: 'ACTING' as const }
  const context = contextOf(2, asked)
  const deps = { ...asking(says('')), readContext: async () => context }
  const begun = await answersAhead(lane, deps, never)
  expect(asked).toEqual(['a', 'b'])
  const { event, data, toolExecutions = [] } = await advanceLane(lane, deps, never, begun)
  expect(asked).toEqual(['a', 'b'])
  expect(event).toBe('call_answered')
  expect(data.results.map(({ output }) => output)).toEqual(['1\ttext of a', '1\ttext of b'])
  expect(toolExecutions.map(({ index }) => index)).toEqual([0, 1])
})

test('only leading reads start ahead, and none behind another call', () => {
  const calls = [{ id: 'call-0', tool: 'submit_report', input: {} }, read('a', 1)]
  const lane = { ...laneOf({ turn: 1, iterations: 1, calls }), state: 'ACTING' as const }
  expect(answersAhead(lane, asking(says('')), never)).toBeNull()
})
