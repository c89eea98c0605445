import { expect, onTestFinished, test } from 'vitest'
import { createEmbeddedEngine } from '../../src/adapters/engine/embedded-engine.ts'
import { DrydockError, type ErrorCode } from '../../src/domain/drydock-error.ts'
import { newRun, type RunRequest } from '../../src/domain/run/run.ts'
import { createScope } from '../../src/domain/scope.ts'
import { InfraFailure } from '../../src/gate/infra-failure.ts'
import type { WorkflowDependencies } from '../../src/workflow/dependencies.ts'
import { guarded, type StepOf } from '../../src/workflow/guarded-step.ts'
import { createAhead } from '../../src/workflow/lane/ahead.ts'
import type { Share } from '../../src/workflow/share.ts'
import { laneOf } from '../agents/asking.ts'
import { createMemoryClock } from '../world/clock.ts'
import { createMemoryStore } from '../world/store.ts'

const request = { kind: 'spec', spec: 'Make it.' } as unknown as RunRequest
const error = (code: ErrorCode) => new DrydockError(code, `It is ${code}.`, { todo: 'Wait.' })

/** A crew's Run with a lane of its architect, and a process that takes the lane's steps. */
async function world(share: Share, step: StepOf, more: { request?: RunRequest; maxWaitSec?: number } = {}) {
  const clock = createMemoryClock()
  const store = await createMemoryStore({ clock })
  const failed = Promise.withResolvers<unknown>()
  const engine = createEmbeddedEngine({ store, clock, onFailure: failed.resolve })
  onTestFinished(async () => {
    await engine.stop()
    await store.close()
  })
  const deps = {
    store,
    engine,
    share,
    clock,
    scope: createScope('all', { only: false }),
    ahead: createAhead({ isAllowed: false }),
    sandboxes: { withCommands: () => [] },
    laneServers: { endOver: async () => {} },
  } as unknown as WorkflowDependencies
  let isFull = false
  const hasRoom = async () => !isFull
  Object.assign(deps, { hasRoom })
  const ended = Promise.withResolvers<void>()
  engine.work('lane', 1, async (job, ...rest) => {
    await guarded({ deps, repositories: { of: async () => deps } }, step, () => {})(job, ...rest)
    if ((await store.jobs()).length === 0) ended.resolve()
  })
  const data = newRun({
    request,
    target: null,
    configFile: null,
    models: null,
    budgetUsd: null,
    maxWaitSec: null,
    ...more,
  })
  const { version: _, ...lane } = laneOf({ role: 'architect_request' as never })
  const run = { id: 'run', kind: 'run', run: 'run', story: null, state: 'MONITORING', data } as const
  return {
    store,
    engine,
    ended: ended.promise,
    failed: failed.promise,
    fill() {
      isFull = true
    },
    free() {
      isFull = false
    },
    /** Advances the clock to the next look at the disk. */
    async look() {
      await expect.poll(() => clock.next()).not.toBe(null)
      await clock.advance(5_000)
    },
    events: async () => (await store.events({ after: 0, limit: 100 })).map(({ type }) => type),
    /**
     * Queues a step of the lane, and changes the lane this many times before a process takes it.
     */
    async queue(changes = 0) {
      await engine.transact(async (tx) => {
        await tx.insertMachine(run)
        let queued = await tx.insertMachine(lane)
        await tx.queue(queued)
        for (let n = 0; n < changes; n += 1) queued = await tx.edit(queued, {})
      })
    },
    state: async () => (await store.machineOf('run', 'run'))?.state,
  }
}

const alone: Share = { as: 'alone', takesStories: true }
const ends: StepOf = async (_deps, _id, commit) => void (await commit(async () => {}))

test('a step of a machine that has moved on is not begun, and the step that follows is', async () => {
  const begun: number[] = []
  const { queue, ended, store } = await world(alone, async (deps, id, commit, signal) => {
    begun.push((await store.machine(id))?.version ?? 0)
    await ends(deps, id, commit, signal)
  })
  await queue(3)
  await ended
  expect(begun).toEqual([4])
})

test('a worker whose hub is away takes its step again when the hub answers, each time', async () => {
  const waited: string[] = []
  let steps = 0
  const untilReached = async () => void waited.push(`after step ${steps}`)
  const { queue, ended, state } = await world({ as: 'worker', takesStories: true, untilReached }, async (...given) => {
    steps += 1
    if (steps <= 2) throw error('hub_unreachable')
    await ends(...given)
  })
  await queue()
  await ended
  expect([waited, steps, await state()]).toEqual([['after step 1', 'after step 2'], 3, 'MONITORING'])
})

test.each([
  ['a worker that fails for another reason', true, 'git_failed'],
  ['a process that has no hub', false, 'hub_unreachable'],
] as const)('%s waits for no hub: its Run is in ERROR', async (_who, hasHub, code) => {
  let waited = 0
  const untilReached = async () => {
    waited += 1
  }
  const share: Share = { as: 'worker', takesStories: true, ...(hasHub && { untilReached }) }
  const { queue, ended, store, state } = await world(share, async () => Promise.reject(error(code)))
  await queue()
  await ended
  expect([waited, await state()]).toEqual([0, 'ERROR'])
  expect((await store.machineOf('run', 'run'))?.data.error).toMatchObject({ code })
})

test('a worker that is stopped while its hub is away does not wait for it, and leaves its step', async () => {
  let waited = 0
  const untilReached = async () => {
    waited += 1
  }
  const begun = Promise.withResolvers<void>()
  const { queue, engine, store, state } = await world(
    { as: 'worker', takesStories: true, untilReached },
    async (_deps, _id, _commit, signal) => {
      begun.resolve()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      throw error('hub_unreachable')
    },
  )
  await queue()
  await begun.promise
  await engine.stop()
  expect([waited, await state(), (await store.jobs()).length]).toEqual([0, 'MONITORING', 1])
})

test('a step that does not reach the database is left for the next process, and its Run continues', async () => {
  const { queue, failed, store, state } = await world(alone, async () => Promise.reject(error('database_unreachable')))
  await queue()
  expect(await failed).toMatchObject({ code: 'database_unreachable' })
  expect([await state(), (await store.jobs()).length]).toEqual(['MONITORING', 1])
})

const noSpace = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })

test('a step that finds the disk full is done when there is space again, and its Run does not stop', async () => {
  let steps = 0
  const { queue, ended, state, look, fill, free, events } = await world(alone, async (...given) => {
    steps += 1
    if (steps === 1) throw noSpace()
    await ends(...given)
  })
  fill()
  await queue()
  for (let n = 0; n < 3; n += 1) await look()
  expect([steps, await state(), await events()]).toEqual([1, 'MONITORING', ['suspended']])
  free()
  await look()
  await ended
  expect([steps, await state(), await events()]).toEqual([2, 'MONITORING', ['suspended', 'resumed']])
})

test.each([
  { what: 'that waits longer than its run may', tries: 1, isFull: true },
  { what: 'that fails although there is space', tries: 4, isFull: false },
])('a step $what stops its Run, whose error is a full disk', async ({ tries, isFull }) => {
  let steps = 0
  const failing: StepOf = async () => {
    steps += 1
    throw new Error('the layer could not be kept', { cause: noSpace() })
  }
  const { queue, ended, store, state, look, fill } = await world(alone, failing, { maxWaitSec: 15 })
  if (isFull) fill()
  await queue()
  for (let n = 0; n < 3; n += 1) await look()
  await ended
  expect([steps, await state()]).toEqual([tries, 'ERROR'])
  expect((await store.machineOf('run', 'run'))?.data.error).toMatchObject({
    code: 'disk_full',
    todo: expect.stringContaining('drydock resume'),
  })
})

test('a step whose sandbox does not open waits while the disk is full, and for no other lack', async () => {
  const lack = { errorType: 'resource_exhaustion', errorMessage: 'The machine has run out of disk space.' } as const
  let steps = 0
  const failing: StepOf = async (...given) => {
    steps += 1
    if (steps === 1) throw new InfraFailure(lack)
    await ends(...given)
  }
  const { queue, ended, state, look, fill, free } = await world(alone, failing)
  fill()
  await queue()
  await look()
  free()
  await look()
  await ended
  expect([steps, await state()]).toEqual([2, 'MONITORING'])
  const other = await world(alone, async () => Promise.reject(new InfraFailure(lack)))
  await other.queue()
  await other.ended
  expect(await other.state()).not.toBe('MONITORING')
})

test('a Run that only verifies is told of a full disk at once', async () => {
  const verify = { kind: 'verify' } as unknown as RunRequest
  const failing: StepOf = async () => Promise.reject(noSpace())
  const { queue, ended, store } = await world(alone, failing, { request: verify })
  await queue()
  await ended
  expect((await store.machineOf('run', 'run'))?.data.error).toMatchObject({ code: 'disk_full' })
})

test('a person can pause a Run that waits for space', async () => {
  const failing: StepOf = async () => Promise.reject(noSpace())
  const { queue, ended, store, engine, state, look, fill } = await world(alone, failing)
  fill()
  await queue()
  await look()
  await engine.transact(async (tx) => {
    const run = await tx.machineOf('run', 'run')
    if (run === null) throw new Error('there is no run')
    await tx.edit(run, { rest: { because: 'user', since: null, machines: [] } })
  })
  await look()
  await ended
  expect([await state(), (await store.machineOf('run', 'run'))?.data.rest]).toEqual([
    'PAUSED',
    expect.objectContaining({ because: 'user', machines: expect.arrayContaining([expect.any(String)]) }),
  ])
})
