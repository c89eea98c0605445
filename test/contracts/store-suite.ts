import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Command } from '../../src/domain/command.ts'
import type { Message } from '../../src/domain/lane/message.ts'
import type { Machine } from '../../src/domain/machine.ts'
import type { MergeData } from '../../src/domain/merge/merge.ts'
import type { Story } from '../../src/domain/story/story.ts'
import type { JobStore } from '../../src/ports/jobs.ts'
import type { ToolExecution, VerificationRow } from '../../src/ports/rows.ts'
import { StaleVersion, type Store } from '../../src/ports/store.ts'
import type { StoreAdapter } from './stores.ts'

const machine: Omit<Machine, 'version'> = {
  id: 'run-1/task',
  kind: 'story',
  run: 'run-1',
  story: 'task',
  state: 'QUEUED',
  data: { words: 'naïve — “ok”', list: [1, null, { deep: true }] },
}

const moved = { from: 'BLOCKED', event: 'unblocked', to: 'QUEUED' } as const

const merge: MergeData = { name: 'task', candidate: 'c', reviewer: 'r', attempt: null, commit: null }

const started: ToolExecution = {
  session: 'run-1',
  lane: 'run-1/lane',
  turn: 2,
  index: 0,
  callId: 'call_1',
  story: 'task',
  agent: 'editor',
  tool: 'edit_file',
  arguments: { path: 'a.txt', n: 1 },
  startedAt: '2026-11-03T10:00:00.000Z',
  expectation: [{ path: 'a.txt', before: 'aa', after: null }],
  result: null,
  success: null,
  durationMs: null,
  finishedAt: null,
}
const finished: ToolExecution = {
  ...started,
  result: 'edited',
  success: true,
  durationMs: 12,
  finishedAt: '2026-11-03T10:00:01.000Z',
}

const cancel = (run: string): Command => ({ kind: 'cancel', run })

export function storeSuite(adapter: StoreAdapter): void {
  let location: string
  let store: JobStore
  beforeEach(async () => {
    location = await adapter.createLocation()
    store = await adapter.open(location)
  })
  afterEach(async () => {
    await store.close()
    await adapter.remove(location)
  })

  describe('a transaction', () => {
    test('writes all of it', async () => {
      const result = await store.transact(async (tx) => {
        const inserted = await tx.insertMachine(machine)
        await tx.queue(inserted)
        await tx.appendEvent({ run: 'run-1', story: 'task', type: 'state', data: moved })
        return inserted
      })
      expect(result).toEqual({ ...machine, version: 1 })
      expect(await store.machine('run-1/task')).toMatchObject(result)
      expect(await store.jobs()).toEqual([
        {
          id: expect.any(Number),
          kind: 'story',
          machine: 'run-1/task',
          version: 1,
          run: 'run-1',
          runAt: expect.any(String),
        },
      ])
      expect(await store.events({ after: 0, limit: 10 })).toEqual([
        { id: 1, run: 'run-1', story: 'task', type: 'state', data: moved, at: expect.any(String) },
      ])
    })

    test('that fails at its end writes nothing of it', async () => {
      const before = await store.transact((tx) => tx.insertMachine(machine))
      await store.transact((tx) => tx.queue(before))
      await store.transact((tx) => tx.insertCommand({ key: 'a', command: cancel('run-1') }))
      const failing = store.transact(async (tx) => {
        const set = await tx.move(before as Story, 'slot_assigned', { next: 'rest' })
        await tx.insertMachine({ ...machine, id: 'other' })
        await tx.queue(set)
        await tx.endJob((await tx.jobsOf('run-1'))[0]?.id ?? 0)
        await tx.appendEvent({ run: 'run-1', story: null, type: 'state', data: moved })
        await tx.appendMessages('lane', [{ role: 'user', text: 'hello' }])
        await tx.startTool(started)
        await tx.markApplied('a')
        throw new Error('at the end')
      })
      await expect(failing).rejects.toThrow('at the end')
      expect(await store.machines({ kind: 'story' })).toMatchObject([before])
      expect(await store.jobs()).toMatchObject([{ machine: before.id, version: 1 }])
      expect(await store.events({ after: 0, limit: 10 })).toEqual([])
      expect(await store.messages('lane')).toEqual([])
      expect(await store.toolExecution(started.lane, started.turn, started.index)).toBeNull()
      expect(await store.pendingCommands()).toHaveLength(1)
    })

    test('reads what it wrote itself', async () => {
      const seen = await store.transact(async (tx) => {
        await tx.insertMachine(machine)
        return tx.machine(machine.id)
      })
      expect(seen).toMatchObject({ ...machine, version: 1 })
    })

    test('that was not committed is unseen outside, and once it is, seen', async () => {
      const [inside, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const writing = store.transact(async (tx) => {
        await tx.insertMachine(machine)
        inside.resolve()
        await leave.promise
      })
      await inside.promise
      const other = await adapter.openRecords(location)
      expect(await store.machine(machine.id)).toBeNull()
      expect(await other.machine(machine.id)).toBeNull()
      leave.resolve()
      await writing
      expect(await store.machine(machine.id)).not.toBeNull()
      expect(await other.machine(machine.id)).not.toBeNull()
      await other.close()
    })

    test('that decides about a slot sees what another writer has decided, and only one of them takes it', async () => {
      const other = await adapter.open(location)
      const take = (writer: JobStore, id: string) =>
        writer.transact(async (tx) => {
          const stories = (await tx.machines({ kind: 'story' })) as readonly Story[]
          if (stories.some(({ data }) => data.slot === 'coder-001')) return false
          await tx.insertMachine({ ...machine, id, data: { ...(machine.data as object), slot: 'coder-001' } })
          return true
        })
      const writers = [store, other, store, other, store, other]
      const taken = await Promise.all(writers.map((writer, at) => take(writer, `story-${at}`)))
      expect(taken.filter(Boolean)).toHaveLength(1)
      await other.close()
    })

    test('continues after one that failed', async () => {
      await expect(store.transact(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
      await store.transact((tx) => tx.insertMachine(machine))
      expect(await store.machine(machine.id)).not.toBeNull()
    })
  })

  describe('a machine', () => {
    test('gets the next version with every change', async () => {
      const first = await store.transact((tx) => tx.insertMachine(machine))
      const second = await store.transact((tx) =>
        tx.move(first as Story, 'slot_assigned', { data: { slot: 'a' }, next: 'rest' }),
      )
      const data = { ...(machine.data as object), slot: 'a' }
      expect(second).toMatchObject({ ...machine, state: 'SETUP', data, version: 2 })
      expect(await store.machine(machine.id)).toMatchObject(second)
    })

    test('is not changed by who has an old version, and nothing else of that transaction is written', async () => {
      const first = await store.transact((tx) => tx.insertMachine(machine))
      const second = await store.transact((tx) => tx.move(first as Story, 'slot_assigned', { next: 'rest' }))
      const stale = store.transact(async (tx) => {
        await tx.appendEvent({ run: 'run-1', story: null, type: 'state', data: moved })
        await tx.move(first as Story, 'cancelled', { next: 'rest' })
      })
      await expect(stale).rejects.toThrow(StaleVersion)
      expect(await store.machine(machine.id)).toMatchObject(second)
      expect(await store.events({ after: 0, limit: 10 })).toEqual([])
    })

    test('that does not exist cannot be changed', async () => {
      const change = store.transact((tx) => tx.edit({ ...machine, version: 1 }, {}))
      await expect(change).rejects.toThrow(StaleVersion)
    })

    test('begins in the first state of its kind, and is moved by its table alone', async () => {
      const { id, run, story } = machine
      const created = await store.transact((tx) => tx.create({ id, kind: 'merge', run, story, data: merge }, 'queue'))
      expect(created).toEqual({ id, kind: 'merge', run, story, data: merge, state: 'QUEUED', version: 1 })
      expect(await store.jobs()).toMatchObject([{ machine: id, version: 1 }])
      const wrong = store.transact((tx) => tx.move(created, 'merged', { next: 'rest' }))
      await expect(wrong).rejects.toThrow(`merge ${id} knows no merged in QUEUED`)
      const at = new Date('2099-01-01T00:00:00.000Z')
      await store.transact((tx) => tx.move(created, 'started', { data: { commit: 'abc' }, next: at }))
      expect(await store.machine(id)).toMatchObject({ state: 'MERGING', data: { ...merge, commit: 'abc' }, version: 2 })
      expect(await store.jobs()).toMatchObject([{ version: 1 }, { version: 2, runAt: at.toISOString() }])
    })

    test('keeps its queued step when its data is edited, and none that is not there', async () => {
      const first = await store.transact((tx) => tx.insertMachine(machine))
      const at = new Date('2099-01-01T00:00:00.000Z')
      const second = await store.transact((tx) => tx.edit(first, { list: [] }))
      expect(await store.jobs()).toEqual([])
      const waiting = await store.transact((tx) => tx.move(second as Story, 'slot_assigned', { next: at }))
      const third = await store.transact((tx) => tx.edit<Machine>(waiting, { more: 1 } as object))
      expect(third.data).toMatchObject({ ...(machine.data as object), list: [], more: 1 })
      const jobs = await store.jobs()
      expect(jobs.filter(({ version }) => version === third.version)).toMatchObject([{ runAt: at.toISOString() }])
    })

    test('exists once under its id', async () => {
      await store.transact((tx) => tx.insertMachine(machine))
      await expect(store.transact((tx) => tx.insertMachine(machine))).rejects.toThrow()
    })

    test('is listed in order of creation, by kind, Run and states', async () => {
      for (const id of ['c', 'a', 'b']) await store.transact((tx) => tx.insertMachine({ ...machine, id }))
      await store.transact((tx) => tx.insertMachine({ ...machine, id: 'd', run: 'run-2', state: 'DONE' }))
      await store.transact((tx) => tx.insertMachine({ ...machine, id: 'e', kind: 'lane' }))
      const a = await store.machine('a')
      if (a) await store.transact((tx) => tx.move(a as Story, 'slot_assigned', { next: 'rest' }))
      const ids = async (filter: Parameters<Store['machines']>[0]) => (await store.machines(filter)).map(({ id }) => id)
      expect(await ids({ kind: 'story' })).toEqual(['c', 'a', 'b', 'd'])
      expect(await ids({ kind: 'story', run: 'run-1' })).toEqual(['c', 'a', 'b'])
      expect(await ids({ kind: 'story', states: ['SETUP', 'DONE'] })).toEqual(['a', 'd'])
      expect(await ids({ kind: 'story', states: [] })).toEqual([])
      expect(await ids({ kind: 'lane' })).toEqual(['e'])
      expect([await store.machineOf('lane', 'e'), await store.machineOf('lane', 'a')]).toMatchObject([
        { id: 'e' },
        null,
      ])
    })
  })

  test('events have growing ids and are read in order, from any of them on, by Run', async () => {
    for (const [n, run] of ['a', 'b', 'a', 'a'].entries()) {
      await store.transact((tx) =>
        tx.appendEvent({ run, story: null, type: 'tool', data: { lane: 'a', turn: n, tool: 'read_file', ok: true } }),
      )
    }
    const read = async (filter: Parameters<Store['events']>[0]) =>
      (await store.events(filter)).map(({ data }) => 'turn' in data && data.turn)
    expect(await read({ after: 0, limit: 10 })).toEqual([0, 1, 2, 3])
    expect(await read({ run: 'a', after: 0, limit: 10 })).toEqual([0, 2, 3])
    const [first, second] = await store.events({ after: 0, limit: 2 })
    expect(await read({ run: 'a', after: first?.id ?? 0, limit: 1 })).toEqual([2])
    expect(await read({ after: second?.id ?? 0, limit: 10 })).toEqual([2, 3])
    expect(first?.at).toBe(new Date(first?.at ?? '').toISOString())
  })

  test('messages of a lane come back whole and in the order in which they were appended', async () => {
    const messages: readonly Message[] = [
      { role: 'user', text: 'Fix it — “now” 🛠' },
      { role: 'assistant', text: '', calls: [{ id: '1', tool: 'read_file', input: { path: 'a' } }] },
      { role: 'tool', results: [{ callId: '1', tool: 'read_file', output: 'x\n', ok: true }] },
      { role: 'user', text: 'end' },
    ]
    await store.transact((tx) => tx.appendMessages('lane', messages.slice(0, 2)))
    await store.transact(async (tx) => {
      await tx.appendMessages('other', [{ role: 'user', text: 'elsewhere' }])
      await tx.appendMessages('lane', messages.slice(2, 3))
      await tx.appendMessages('lane', [])
      await tx.appendMessages('lane', messages.slice(3))
    })
    expect(await store.messages('lane')).toEqual(messages)
    expect(await store.messages('lane', 2)).toEqual(messages.slice(2))
    expect(await store.messages('none')).toEqual([])
  })

  describe('a tool call', () => {
    const read = () => store.toolExecution(started.lane, started.turn, started.index)

    test('that was started stays as it was started first', async () => {
      await store.transact((tx) => tx.startTool(started))
      await store.transact((tx) => tx.startTool({ ...started, startedAt: '2027-01-01T00:00:00.000Z' }))
      expect(await read()).toEqual(started)
    })

    test('that is finished, once or twice, has one row with its end', async () => {
      await store.transact((tx) => tx.startTool(started))
      await store.transact((tx) => tx.finishTool(finished))
      await store.transact((tx) => tx.finishTool(finished))
      expect(await read()).toEqual(finished)
      expect(await store.totals('run-1')).toMatchObject({ toolCalls: 1 })
    })

    test('may have a null character in its result, or half a character, and nothing beside it is lost', async () => {
      const result = 'a\0b \\u0000 \ud83d'
      await store.transact((tx) => tx.finishTool({ ...finished, arguments: { text: result }, result }))
      const stored = await read()
      expect(stored?.result).toMatch(/^a[\0\u2400]b \\u0000 \ufffd$/)
      expect(stored?.arguments).toEqual({ text: result })
    })

    test('that is started again after its end stays finished', async () => {
      await store.transact((tx) => tx.finishTool(finished))
      await store.transact((tx) => tx.startTool(started))
      expect(await read()).toEqual(finished)
    })
  })

  test('a command is stored once under its key, applied once, and kept in order', async () => {
    await store.transact((tx) => tx.insertCommand({ key: 'z', command: cancel('first') }))
    await store.transact((tx) => tx.insertCommand({ key: 'a', command: cancel('second') }))
    await store.transact((tx) => tx.insertCommand({ key: 'z', command: cancel('third') }))
    expect(await store.pendingCommands()).toEqual([
      { key: 'z', command: cancel('first') },
      { key: 'a', command: cancel('second') },
    ])
    await store.transact((tx) => tx.markApplied('z'))
    await store.transact((tx) => tx.insertCommand({ key: 'z', command: cancel('fourth') }))
    expect(await store.pendingCommands()).toEqual([{ key: 'a', command: cancel('second') }])
    expect(await store.commandApplied('z')).toBe(true)
    expect(await store.commandApplied('a')).toBe(false)
    expect(await store.commandApplied('none')).toBe(false)
  })

  test('a call to a forge is there once under its key, first without an answer, then with the last one', async () => {
    const push = { key: 'push/a', run: 'run-1', call: 'push', request: { sha: 'a' } }
    await store.transact((tx) => tx.startForgeCall(push))
    await store.transact((tx) => tx.startForgeCall({ ...push, run: 'run-2', key: 'push/b' }))
    const started = { ...push, startedAt: expect.any(String), answer: null, finishedAt: null }
    expect(await store.forgeCalls('run-1')).toEqual([started])
    await store.transact((tx) => tx.finishForgeCall('push/a', { number: 1 }))
    await store.transact((tx) => tx.startForgeCall({ ...push, request: { sha: 'other' } }))
    const finished = { ...started, answer: { number: 1 }, finishedAt: expect.any(String) }
    expect(await store.forgeCalls('run-1')).toEqual([finished])
  })

  describe('a job', () => {
    test('is there once for a version of a machine, not before its time, until it is ended', async () => {
      const first = (await store.transact((tx) => tx.insertMachine(machine))) as Story
      const at = new Date('2099-01-01T00:00:00.000Z')
      const later = await store.transact((tx) => tx.move(first, 'slot_assigned', { next: at }))
      await store.transact((tx) => tx.queue(later))
      expect(await store.jobs()).toMatchObject([{ version: 2, runAt: at.toISOString() }])
      await store.transact((tx) => tx.hasten(later))
      const [old] = await store.jobs()
      expect(old?.runAt.localeCompare(new Date().toISOString())).toBeLessThanOrEqual(0)
      await store.transact((tx) => tx.queue({ ...later, version: 3 }))
      const [, next] = await store.jobs()
      const ended = [
        await store.transact((tx) => tx.endJob(old?.id ?? 0)),
        await store.transact((tx) => tx.endJob(old?.id ?? 0)),
      ]
      expect([ended, await store.jobs()]).toEqual([[true, false], [next]])
    })

    test('keeps its Run from being idle, whatever its machine, until it is ended', async () => {
      const idle = async () => [await store.isIdle('run-1'), await store.isIdle('run-2'), await store.isIdle('x')]
      expect(await idle()).toEqual([true, true, true])
      await store.transact(async (tx) => {
        await tx.queue(await tx.insertMachine({ ...machine, id: 'lane', kind: 'lane' }))
        await tx.queue(await tx.insertMachine({ ...machine, id: 'run-2', kind: 'run', run: 'run-2' }))
        await tx.queue(await tx.insertMachine({ ...machine, id: 'told', kind: 'notification', run: 'x' }))
        await tx.insertMachine({ ...machine, id: 'at rest' })
      })
      expect(await idle()).toEqual([false, false, true])
      const inside = await store.transact(async (tx) => {
        for (const { id } of await tx.jobsOf('run-1')) await tx.endJob(id)
        return tx.isIdle('run-1')
      })
      expect([inside, await idle()]).toEqual([true, [true, false, true]])
    })
  })

  test('verifications and context files come back as they were written', async () => {
    const row: VerificationRow = {
      runId: 'run_20261103_100000_abcdef',
      run: 'run-1',
      story: 'task',
      commitSha: 'c0ffee',
      status: 'PASS',
      errorType: null,
      errorMessage: null,
      tailLog: 'ok\n',
      finishedAt: '2026-11-03T10:00:00.000Z',
      manifest: {
        run_id: 'run_20261103_100000_abcdef',
        timestamp_start: 'a',
        timestamp_end: 'b',
        commit_sha: 'c0ffee',
        tree_sha: 'd',
        base_sha: 'e',
        status: 'PASS',
        limits: { memory: 1 },
        commands_executed: [{ name: 'test', command: 'make', exit_code: 0, duration_ms: 1, timed_out: false }],
        platform: { os: 'linux', arch: 'x64', sandbox: 'bubblewrap' },
      },
    }
    const infra: VerificationRow = {
      ...row,
      runId: 'run_20261103_100001_abcdef',
      story: null,
      status: 'INFRA_ERROR',
      tailLog: null,
      manifest: null,
      errorType: 'checkout_failed',
      errorMessage: 'no',
      finishedAt: '2026-11-03T10:00:01.000Z',
    }
    const file = { run: 'run-1', story: 'task', n: 1, milestone: 'plan', content: '# Plan\n' }
    await store.transact(async (tx) => {
      await tx.insertVerification(infra)
      await tx.insertVerification(row)
      await tx.insertContextFile({ ...file, n: 2 })
      await tx.insertContextFile(file)
    })
    expect(await store.verifications('run-1')).toEqual([row, infra])
    expect(await store.verification(infra.runId)).toEqual(infra)
    expect(await store.verification('run_none')).toBeNull()
    expect(await store.contextFiles('run-1', 'task')).toEqual([file, { ...file, n: 2 }])
  })

  test('acceptance tests belong to a Run or to the tests of a story, and new ones take their place', async () => {
    const tests = { files: [{ path: 'a.test.js', content: 'YQ==' }] }
    const others = { files: [{ path: 'b.test.js', content: 'Yg==' }] }
    await store.transact((tx) => tx.keepAcceptanceTests('run-1', tests))
    await store.transact((tx) => tx.keepAcceptanceTests('run-1/acceptance/a', tests))
    await store.transact((tx) => tx.keepAcceptanceTests('run-1/acceptance/a', others))
    expect(await store.acceptanceTests('run-1')).toEqual(tests)
    expect(await store.acceptanceTests('run-1/acceptance/a')).toEqual(others)
    expect(await store.acceptanceTests('run-2')).toBeNull()
  })

  test('a verification’s row is never written over', async () => {
    const row: VerificationRow = {
      runId: 'run_1',
      run: 'run-1',
      story: null,
      commitSha: 'a',
      status: 'FAIL',
      errorType: null,
      errorMessage: null,
      tailLog: '',
      manifest: null,
      finishedAt: '2026-11-03T10:00:00.000Z',
    }
    await store.transact((tx) => tx.insertVerification(row))
    await expect(store.transact((tx) => tx.insertVerification({ ...row, status: 'PASS' }))).rejects.toThrow()
    expect(await store.verification('run_1')).toEqual(row)
  })

  test('totals of a Run are those of its calls, also of calls without usage', async () => {
    const modelCall = {
      lane: 'lane',
      run: 'run-1',
      story: null,
      agent: 'editor',
      model: 'm',
      stop: 'tools',
      error: null,
      startedAt: '2026-11-03T10:00:00.000Z',
      durationMs: 3,
      costMicroUsd: null,
    }
    const none = { calls: 0, tokens: 0, toolCalls: 0, costMicroUsd: 0, unpriced: 0 }
    expect(await store.totals('run-1')).toEqual(none)
    await store.transact(async (tx) => {
      const usage = { input: 100, output: 20, cacheRead: 90, cacheWrite: 5 }
      await tx.insertModelCall({ ...modelCall, turn: 1, usage })
      await tx.insertModelCall({ ...modelCall, turn: 3, usage, costMicroUsd: 700 })
      await tx.insertModelCall({ ...modelCall, turn: 2, stop: 'error', error: 'timeout', usage: null })
      await tx.insertModelCall({ ...modelCall, turn: 1, lane: 'other', run: 'run-2', usage })
      await tx.startTool(started)
    })
    const made = { calls: 3, tokens: 240, toolCalls: 1, costMicroUsd: 700, unpriced: 1 }
    expect(await store.totals('run-1')).toEqual(made)
  })

  test('totals of a story are those of its own calls only', async () => {
    const call = {
      agent: 'editor',
      model: 'm',
      stop: 'tools',
      error: null,
      turn: 1,
      startedAt: '2026-11-03T10:00:00.000Z',
      durationMs: 3,
      costMicroUsd: null,
    }
    const usage = (input: number) => ({ input, output: 1, cacheRead: 0, cacheWrite: 0 })
    await store.transact(async (tx) => {
      await tx.insertModelCall({ ...call, lane: 'scoping', run: 'run-1', story: null, usage: usage(1_000) })
      await tx.insertModelCall({ ...call, lane: 'a', run: 'run-1', story: 'a', usage: usage(100) })
      await tx.insertModelCall({ ...call, lane: 'b', run: 'run-1', story: 'b', usage: usage(10) })
      await tx.insertModelCall({ ...call, lane: 'a of another', run: 'run-2', story: 'a', usage: usage(5) })
      for (const [lane, story, session] of [
        ['scoping', null, 'run-1'],
        ['a', 'a', 'run-1'],
        ['a 2', 'a', 'run-1'],
        ['b', 'b', 'run-1'],
        ['a of another', 'a', 'run-2'],
      ] as const) {
        await tx.startTool({ ...started, lane, story, session })
      }
    })
    expect(await store.totals('run-1')).toMatchObject({ calls: 3, tokens: 1_113, toolCalls: 4 })
    expect(await store.totals('run-1', 'a')).toMatchObject({ calls: 1, tokens: 101, toolCalls: 2 })
    expect(await store.totals('run-1', 'none')).toMatchObject({ calls: 0, tokens: 0, toolCalls: 0 })
  })

  test('committed data survive closing and opening', async () => {
    const first = await store.transact((tx) => tx.insertMachine(machine))
    await store.close()
    store = await adapter.open(location)
    expect(await store.machine(machine.id)).toMatchObject(first)
  })

  test('closing twice is fine', async () => {
    await store.close()
    await store.close()
  })

  describe('two writers', () => {
    test('in one process wait for each other, and neither stops the other', async () => {
      const other = await adapter.open(location)
      const entered = Promise.withResolvers<void>()
      const leave = Promise.withResolvers<void>()
      const order: string[] = []
      const slow = store.transact(async (tx) => {
        entered.resolve()
        await leave.promise
        await tx.insertMachine(machine)
        order.push('slow')
      })
      await entered.promise
      const waiting = other.transact(async (tx) => {
        order.push(`fast sees ${(await tx.machine(machine.id))?.state}`)
      })
      // The event loop is free: with a blocking wait the writer would time out before this line.
      setImmediate(leave.resolve)
      await Promise.all([slow, waiting])
      expect(order).toEqual(['slow', 'fast sees QUEUED'])
      await other.close()
    })

    test('that open the same new store at once both find it ready', async () => {
      for (let round = 0; round < 10; round += 1) {
        const fresh = await adapter.createLocation()
        const handles = await Promise.all(Array.from({ length: 4 }, () => adapter.open(fresh)))
        for (const [n, handle] of handles.entries()) {
          await handle.transact((tx) => tx.insertMachine({ ...machine, id: `m${n}` }))
        }
        expect(await handles[0]?.machines({ kind: 'story' })).toHaveLength(4)
        for (const handle of handles) await handle.close()
        await adapter.remove(fresh)
      }
    })
  })
}
