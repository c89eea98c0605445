import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EventType, NewEvent } from '../../src/domain/event.ts'
import type { Machine } from '../../src/domain/machine.ts'
import type { ModelCall, ToolExecution, VerificationRow } from '../../src/ports/rows.ts'
import type { Store, TimelineEntry } from '../../src/ports/store.ts'
import type { StoreAdapter } from './stores.ts'

const run = 'run-1'
const at = (second: number) => `2026-11-03T10:00:${String(second).padStart(2, '0')}.000Z`

function modelCall(turn: number, second: number, more: Partial<ModelCall> = {}): ModelCall {
  return {
    lane: `${run}/editor/one/CODING`,
    turn,
    run,
    story: 'one',
    agent: 'editor_coding',
    model: 'm',
    stop: 'tool-calls',
    error: null,
    usage: { input: 100, output: 20, cacheRead: 90, cacheWrite: 5 },
    costMicroUsd: 700,
    startedAt: at(second),
    durationMs: 3,
    ...more,
  }
}

function toolCall(turn: number, second: number, more: Partial<ToolExecution> = {}): ToolExecution {
  return {
    session: run,
    lane: `${run}/editor/one/CODING`,
    turn,
    index: 0,
    callId: `call_${turn}`,
    story: 'one',
    agent: 'editor_coding',
    tool: 'read_file',
    arguments: { path: 'a.txt' },
    expectation: null,
    startedAt: at(second),
    result: null,
    success: null,
    durationMs: null,
    finishedAt: null,
    ...more,
  }
}

const name = ({ type, call }: TimelineEntry) => `${type} ${call.story} ${call.turn}`
const names = (entries: readonly TimelineEntry[]) => entries.map(name)

export function historySuite(adapter: StoreAdapter): void {
  let location: string
  let store: Store
  beforeEach(async () => {
    location = await adapter.createLocation()
    store = await adapter.open(location)
  })
  afterEach(async () => {
    await store.close()
    await adapter.remove(location)
  })

  describe('its events', () => {
    const event = (type: EventType, story: string | null = null, of = run) =>
      store.transact((tx) => tx.appendEvent({ run: of, story, type, data: { type } } as unknown as NewEvent))

    test('have a last one, which is 0 before the first, and is of any Run', async () => {
      expect(await store.lastEvent()).toBe(0)
      await event('run')
      await event('run', null, 'run-2')
      expect(await store.lastEvent()).toBe(2)
      expect(await store.transact((tx) => tx.lastEvent())).toBe(2)
    })

    test('name the Runs that have any after an id, the one with the newest first', async () => {
      expect(await store.runsSince(0)).toEqual([])
      await event('run')
      await event('run', null, 'run-2')
      await event('state', 'one')
      expect(await store.runsSince(0)).toEqual([run, 'run-2'])
      expect(await store.runsSince(2)).toEqual([run])
      expect(await store.runsSince(3)).toEqual([])
    })

    test('are found by a text that their type, story or data has, letter by letter', async () => {
      await event('run_state')
      await event('state', 'one_%')
      await store.transact((tx) =>
        tx.appendEvent({ run, story: null, type: 'landed', data: { repository: 'Say "Ä"', branch: 'b', sha: 's' } }),
      )
      const ids = async (text: string) => (await store.recentEvents({ run, text, limit: 10 })).map(({ id }) => id)
      expect(await ids('STATE')).toEqual([2, 1])
      expect(await ids('%')).toEqual([2])
      expect(await ids('e_%')).toEqual([2])
      expect(await ids('say "Ä"')).toEqual([3])
      expect(await ids("'; drop table events; --")).toEqual([])
      expect(await ids('')).toEqual([3, 2, 1])
    })

    test('are read from the newest on, by story and type, page by page', async () => {
      await event('run')
      await event('state', 'one')
      await event('state', 'two')
      await event('state', 'one', 'run-2')
      await event('result')
      const ids = async (more: Partial<Parameters<Store['recentEvents']>[0]>) =>
        (await store.recentEvents({ run, limit: 10, ...more })).map(({ id }) => id)
      expect(await ids({})).toEqual([5, 3, 2, 1])
      expect(await ids({ limit: 2 })).toEqual([5, 3])
      expect(await ids({ limit: 2, before: 3 })).toEqual([2, 1])
      expect(await ids({ story: 'one' })).toEqual([2])
      expect(await ids({ types: ['run', 'result'] })).toEqual([5, 1])
      expect(await ids({ types: ['state'], story: 'two', before: 5, limit: 1 })).toEqual([3])
      expect(await ids({ types: [] })).toEqual([])
      expect(await ids({ run: 'run-3' })).toEqual([])
      expect(await store.recentEvents({ run, limit: 1 })).toEqual([
        { id: 5, run, story: null, type: 'result', data: { type: 'result' }, at: expect.any(String) },
      ])
    })
  })

  describe('its timeline', () => {
    beforeEach(() =>
      store.transact(async (tx) => {
        await tx.insertModelCall(modelCall(1, 1))
        await tx.startTool(toolCall(1, 2))
        await tx.finishTool(toolCall(1, 2, { result: 'x', success: true, durationMs: 4, finishedAt: at(3) }))
        // Another story's call has the same time, and so has the tool call that it requested.
        await tx.insertModelCall(modelCall(2, 5))
        await tx.startTool(toolCall(2, 5))
        await tx.insertModelCall(modelCall(3, 5, { lane: `${run}/editor/two/CODING`, story: 'two' }))
        // Stored later, but started earlier.
        await tx.startTool(toolCall(4, 4, { lane: `${run}/architect/SCOPING`, story: null }))
        await tx.insertModelCall(modelCall(9, 9, { run: 'run-2', lane: 'run-2/editor/one/CODING' }))
      }),
    )

    const newestFirst = [
      'tool_call one 2',
      'model_call two 3',
      'model_call one 2',
      'tool_call null 4',
      'tool_call one 1',
      'model_call one 1',
    ]

    test('has calls of models and tools together, the newest first by their start', async () => {
      const entries = await store.timeline({ run, limit: 10 })
      expect(names(entries)).toEqual(newestFirst)
      expect(entries.at(-1)).toEqual({ type: 'model_call', cursor: expect.any(String), call: modelCall(1, 1) })
      expect(entries[0]).toEqual({ type: 'tool_call', cursor: expect.any(String), call: toolCall(2, 5) })
      expect(entries[4]?.call).toMatchObject({ result: 'x', success: true, durationMs: 4, finishedAt: at(3) })
      expect(names(await store.timeline({ run, story: 'two', limit: 10 }))).toEqual(['model_call two 3'])
    })

    test('is narrowed to calls of a kind, and to those that a text is in', async () => {
      await store.transact((tx) => tx.insertModelCall(modelCall(8, 8, { stop: 'error', error: 'Too 100% busy' })))
      const found = async (more: Partial<Parameters<Store['timeline']>[0]>) =>
        names(await store.timeline({ run, limit: 10, ...more }))
      const [, two, one, , , first] = newestFirst
      expect(await found({ kind: 'model' })).toEqual(['model_call one 8', two, one, first])
      expect(await found({ kind: 'tool', story: 'one' })).toEqual(['tool_call one 2', 'tool_call one 1'])
      expect(await found({ kind: 'failed' })).toEqual(['model_call one 8'])
      expect(await found({ text: '100% BUSY' })).toEqual(['model_call one 8'])
      expect(await found({ text: 'architect/' })).toEqual(['tool_call null 4'])
      expect(await found({ text: 'A.TXT', story: 'one' })).toEqual(['tool_call one 2', 'tool_call one 1'])
      expect(await found({ text: '"path"', kind: 'model' })).toEqual([])
    })

    test.each([1, 2, 3, 4])('is whole in pages of %i, with nothing twice', async (limit) => {
      const found: TimelineEntry[] = []
      for (;;) {
        const before = found.at(-1)?.cursor
        const page = await store.timeline({ run, limit, ...(before !== undefined && { before }) })
        expect(page.length).toBeLessThanOrEqual(limit)
        if (page.length === 0) break
        found.push(...page)
      }
      expect(names(found)).toEqual(newestFirst)
    })

    test('keeps a page’s place while newer calls come', async () => {
      const [, second] = await store.timeline({ run, limit: 2 })
      await store.transact((tx) => tx.insertModelCall(modelCall(5, 5)))
      await store.transact((tx) => tx.insertModelCall(modelCall(6, 7)))
      const older = await store.timeline({ run, before: second?.cursor ?? '', limit: 10 })
      expect(names(older)).toEqual(newestFirst.slice(2))
    })

    test('gives one entry by its place, of its own Run only, and none for a text that is no place', async () => {
      const entries = await store.timeline({ run, limit: 10 })
      for (const entry of entries) {
        expect(await store.timeline({ run, at: entry.cursor, limit: 1 })).toEqual([entry])
        expect(await store.timeline({ run: 'run-2', at: entry.cursor, limit: 1 })).toEqual([])
      }
      for (const text of ['', 'x', '1', `${at(5)}_x_1`, `${at(5)}_m_1; drop table events`]) {
        expect(await store.timeline({ run, at: text, limit: 10 })).toEqual([])
        expect(await store.timeline({ run, before: text, limit: 10 })).toEqual([])
      }
    })

    test('counts calls of tools by story, also of none', async () => {
      expect(await store.toolCallCounts(run)).toEqual(new Map([...([[null, 1]] as const), ...([['one', 2]] as const)]))
      expect(await store.toolCallCounts('run-3')).toEqual(new Map())
    })

    test('gives calls of models in the order in which they ended, of a Run or of one lane', async () => {
      const ofRun = await store.modelCalls(run)
      expect(ofRun.map(({ turn }) => turn)).toEqual([1, 2, 3])
      expect(ofRun[1]).toEqual(modelCall(2, 5))
      expect((await store.modelCalls(run, `${run}/editor/one/CODING`)).map(({ turn }) => turn)).toEqual([1, 2])
      expect(await store.modelCalls(run, 'run-2/editor/one/CODING')).toEqual([])
    })
  })

  test('a call that failed comes back without usage and price', async () => {
    const failed = modelCall(1, 1, { stop: 'error', error: 'timeout', usage: null, costMicroUsd: null })
    await store.transact((tx) => tx.insertModelCall(failed))
    expect(await store.modelCalls(run)).toEqual([failed])
  })

  test('machines are counted by state, of a Run or of all', async () => {
    const machine = (id: string, more: Partial<Machine> = {}) => ({
      id,
      kind: 'story',
      run,
      story: id,
      state: 'DONE',
      data: null,
      ...more,
    })
    await store.transact(async (tx) => {
      for (const each of [
        machine('a'),
        machine('b'),
        machine('c', { state: 'CODING' }),
        machine('d', { run: 'run-2' }),
        machine('e', { kind: 'lane', state: 'ENDED' }),
      ])
        await tx.insertMachine(each as Omit<Machine, 'version'>)
    })
    const ofRun = await store.machineCounts({ kind: 'story', run })
    expect(Object.fromEntries(ofRun)).toEqual({ DONE: 2, CODING: 1 })
    expect(Object.fromEntries(await store.machineCounts({ kind: 'story' }))).toEqual({ DONE: 3, CODING: 1 })
    expect(await store.machineCounts({ kind: 'merge', run })).toEqual(new Map())
  })

  test('verifications are read of a Run or of one story, in the order in which they ended', async () => {
    const row = (runId: string, story: string | null, second: number, of = run): VerificationRow => ({
      runId,
      run: of,
      story,
      commitSha: 'abc',
      status: 'PASS',
      errorType: null,
      errorMessage: null,
      tailLog: null,
      manifest: null,
      finishedAt: at(second),
    })
    await store.transact(async (tx) => {
      await tx.insertVerification(row('v3', 'one', 3))
      await tx.insertVerification(row('v1', 'two', 1))
      await tx.insertVerification(row('v2', 'one', 2))
      await tx.insertVerification(row('v4', null, 4))
      await tx.insertVerification(row('v5', 'one', 1, 'run-2'))
    })
    const ids = (rows: readonly VerificationRow[]) => rows.map(({ runId }) => runId)
    expect(ids(await store.verifications(run))).toEqual(['v1', 'v2', 'v3', 'v4'])
    expect(ids(await store.verifications(run, 'one'))).toEqual(['v2', 'v3'])
    expect(ids(await store.verifications(run, 'three'))).toEqual([])
  })
}
