import { expect, onTestFinished, test } from 'vitest'
import { createEmbeddedEngine } from '../../src/adapters/engine/embedded-engine.ts'
import { describeRun } from '../../src/app/views/status.ts'
import { DrydockError, type ErrorCode } from '../../src/domain/drydock-error.ts'
import { newRun, type RunRequest } from '../../src/domain/run/run.ts'
import { createScope } from '../../src/domain/scope.ts'
import { applyCommands } from '../../src/workflow/commands.ts'
import type { WorkflowDependencies } from '../../src/workflow/dependencies.ts'
import { guarded } from '../../src/workflow/guarded-step.ts'
import { createAhead } from '../../src/workflow/lane/ahead.ts'
import { createRetries } from '../../src/workflow/rest/retries.ts'
import { laneOf } from '../agents/asking.ts'
import { createMemoryClock } from '../world/clock.ts'
import { createMemoryStore } from '../world/store.ts'

const request = { kind: 'spec', spec: { text: '# Make it' } } as unknown as RunRequest

/** A crew's Run whose step fails with each of these, and a process that may keep running. */
async function world(failures: readonly ErrorCode[], { retries = true } = {}) {
  const clock = createMemoryClock()
  const store = await createMemoryStore({ clock })
  const engine = createEmbeddedEngine({ store, clock, onFailure: () => {} })
  const left = [...failures]
  const [begun, tried] = [clock.now().getTime(), [] as number[]]
  const deps = {
    store,
    engine,
    clock,
    share: { as: 'alone', takesStories: true, retries },
    slots: [],
    slotCaps: {},
    scope: createScope('all', { only: false }),
    ahead: createAhead({ isAllowed: false }),
    sandboxes: { withCommands: () => [] },
    laneServers: { endOver: async () => {} },
    hasRoom: async () => true,
  } as unknown as WorkflowDependencies
  const trying = createRetries(deps)
  if (retries) trying.begin()
  onTestFinished(async () => {
    await Promise.all([trying.end(), engine.stop()])
    await store.close()
  })
  const step = guarded(
    { deps, repositories: { of: async () => deps } },
    async (_deps, _id, commit) => {
      tried.push((clock.now().getTime() - begun) / 1_000)
      const code = left.shift()
      if (code !== undefined) throw new DrydockError(code, `It is ${code}.`, { todo: 'Wait.' })
      await commit(async () => {})
    },
    () => {},
  )
  engine.work('lane', 1, step)
  const data = newRun({
    request,
    target: null,
    configFile: null,
    models: null,
    budgetUsd: null,
    maxWaitSec: null,
  })
  const { version: _, ...lane } = laneOf({ role: 'architect_request' as never })
  await engine.transact(async (tx) => {
    await tx.insertMachine({ id: 'run', kind: 'run', run: 'run', story: null, state: 'MONITORING', data })
    await tx.queue(await tx.insertMachine(lane))
  })
  const run = async () => {
    const stored = await store.machineOf('run', 'run')
    if (stored === null) throw new Error('there is no run')
    return stored
  }
  const pass = async (seconds: number) => {
    for (let passed = 0; passed <= seconds; passed += 5) {
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
      if (passed < seconds) await clock.advance(5_000)
    }
  }
  return {
    clock,
    run,
    tried,
    pass,
    shown: async (owned = true) => (await describeRun(store, await run(), owned)).again,
    async resume() {
      const command = { kind: 'resume', run: 'run', models: null } as const
      await engine.transact((tx) => tx.insertCommand({ key: `resume ${tried.length}`, command }))
      await applyCommands(deps)
    },
  }
}

test('a run that the infrastructure has stopped is tried again by itself, after pauses that grow and are shown', async () => {
  const { run, tried, pass, shown } = await world(['git_failed', 'hub_unreachable', 'receipt_failed', 'host_gone'])
  await pass(10)
  expect([(await run()).state, tried.length, await shown(false)]).toEqual(['ERROR', 1, null])
  const announced: number[] = []
  for (const tries of [1, 2, 3, 4]) {
    const again = await shown()
    expect(again?.tries).toBe(tries)
    announced.push(Date.parse(again?.at ?? '') / 1_000)
    while (tried.length === tries) await pass(5)
    await pass(5)
  }
  expect([(await run()).state, await shown()]).toEqual(['MONITORING', null])
  const pauses = tried.slice(1).map((at, i) => at - (tried[i] ?? 0))
  for (const [i, pause] of pauses.entries()) {
    const longest = 60 * 2 ** i
    expect([pause >= longest / 2, pause <= longest + 15]).toEqual([true, true])
  }
  expect(announced.toSorted()).toEqual(announced)
})

test.each(['no_price', 'model_refused', 'model_failed', 'bug'] as const)(
  'a run that was stopped by %s waits for a person',
  async (code) => {
    const { run, tried, pass, shown } = await world([code])
    await pass(7_200)
    expect([(await run()).state, tried.length, await shown()]).toEqual(['ERROR', 1, null])
  },
)

test('a command that ends with its run promises no other try', async () => {
  const { run, tried, pass, shown } = await world(['git_failed'], { retries: false })
  await pass(7_200)
  expect([(await run()).state, tried.length, await shown()]).toEqual(['ERROR', 1, null])
})

test('a person’s resume restarts the pauses of a run', async () => {
  const { pass, shown, resume } = await world(['git_failed', 'git_failed', 'git_failed'])
  await pass(100)
  expect((await shown())?.tries).toBe(2)
  await resume()
  await pass(5)
  expect((await shown())?.tries).toBe(1)
})
