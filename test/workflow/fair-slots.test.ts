import { expect, onTestFinished, test } from 'vitest'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createEmbeddedEngine } from '../../src/adapters/engine/embedded-engine.ts'
import { readWaitsForSlot } from '../../src/app/views/schedule/waits-for-slot.ts'
import { DrydockError } from '../../src/domain/drydock-error.ts'
import { newRun, type Run, type RunData } from '../../src/domain/run/run.ts'
import { createScope } from '../../src/domain/scope.ts'
import type { Priority } from '../../src/domain/share/priority.ts'
import type { SlotCaps } from '../../src/domain/share/slot-caps.ts'
import { newStory, type Story, taskOf } from '../../src/domain/story/story.ts'
import type { Engine } from '../../src/ports/engine.ts'
import type { JobStore } from '../../src/ports/jobs.ts'
import { startNextMerge } from '../../src/workflow/merge/merge-queue.ts'
import { offerSlots } from '../../src/workflow/run/offer-slots.ts'
import { schedule } from '../../src/workflow/run/schedule.ts'
import { stores } from '../contracts/stores.ts'

const clock = createSystemClock()
const [sqlite] = stores
if (sqlite === undefined) throw new Error('no store')
const model = () => {
  throw new DrydockError('bad_model', 'There is no model here.', { todo: 'None is needed.' })
}

interface State {
  readonly store: JobStore
  readonly engine: Engine
}

async function createState(slots: number): Promise<State> {
  const location = await sqlite?.createLocation()
  if (location === undefined || sqlite === undefined) throw new Error('no store')
  const store = await sqlite.open(location)
  const engine = createEmbeddedEngine({ store, clock, onFailure: () => {} })
  onTestFinished(async () => {
    await engine.stop()
    await store.close()
    await sqlite.remove(location)
  })
  const names = Array.from({ length: slots }, (_, n) => `coder-${n}`)
  await engine.transact((tx) => offerSlots(tx, { slots: names, host: engine.host }))
  return { store, engine }
}

const models = { architect: 'none:a', editor: 'none:a', scout: 'none:a' }
const asked = { target: null, configFile: null, models, budgetUsd: null }

interface SlotRequest {
  readonly id: string
  readonly user?: string
  readonly priority?: Priority
}

/** A spec whose stories are all ready, alternating between two repositories. */
async function startSpec({ engine }: State, { id, user, priority }: SlotRequest, count: number): Promise<void> {
  const request = { kind: 'spec', spec: { text: id, source: 'text' }, planOnly: false, reviewStories: false } as const
  const other = { name: 'other', path: '/other', base: 'b', tip: 'b', config: {} } as never
  const data: RunData = {
    ...newRun({ ...asked, request: { ...request, stories: null }, ...(priority && { priority }) }),
    base: 'a',
    tip: 'a',
    repositories: [other],
    ...(user && { startedBy: user }),
  }
  await engine.transact(async (tx) => {
    await tx.insertMachine({ id, kind: 'run', run: id, story: null, state: 'MONITORING', data } as never)
    await tx.appendEvent({ run: id, story: null, type: 'run', data: { kind: 'spec', title: id } })
    for (let n = 0; n < count; n += 1) {
      const story = `s${n}`
      const place = n % 2 === 0 ? {} : { repository: 'other' }
      const planned = { id: story, title: '', content: '', acceptance_criteria: [], depends_on: [], ...place }
      const full = { ...planned, files_hint: [] }
      const own = newStory({ name: story, task: taskOf(full), planned: full, dryRun: false, base: 'a', slot: null })
      await tx.create({ id: `${id}/${story}`, kind: 'story', run: id, story, data: own }, 'rest')
    }
  })
}

async function startTask({ engine }: State, { id, user }: SlotRequest): Promise<void> {
  const task = { text: id, constraints: [], non_goals: [], files: [] }
  const request = { kind: 'task', task, dryRun: false, apply: false } as const
  const data = newRun({ ...asked, request, ...(user && { startedBy: user }) })
  await engine.transact(async (tx) => {
    await tx.create({ id, kind: 'run', run: id, story: null, data }, 'rest')
    await tx.appendEvent({ run: id, story: null, type: 'run', data: { kind: 'task', title: id } })
  })
}

async function give({ engine }: State, slotCaps: SlotCaps = {}): Promise<void> {
  const deps = { clock, scope: createScope('all', { only: false }), slotCaps }
  await engine.transact((tx) => schedule(tx, deps))
}

async function holders({ store }: State): Promise<readonly (Run | Story)[]> {
  const all = [...(await store.machines({ kind: 'run' })), ...(await store.machines({ kind: 'story' }))]
  return all.filter(({ data }) => data.slot !== null)
}

/** Ends the oldest holder of a slot, and assigns that slot again. */
async function endOldest(state: State): Promise<void> {
  const [oldest] = (await holders(state)).toSorted((a, b) => (a.data.turn ?? 0) - (b.data.turn ?? 0))
  if (oldest === undefined) throw new Error('nobody holds a slot')
  await state.engine.transact((tx) => tx.move(oldest as Story, 'cancelled', { next: 'rest', data: { slot: null } }))
  await give(state)
}

const held = async (state: State) => (await holders(state)).map(({ run }) => run).toSorted()

test.each([8, 200])('a task waits for one slot to become free beside %i stories in two repositories', async (count) => {
  const state = await createState(4)
  await startSpec(state, { id: 'big' }, count)
  await give(state)
  expect(await held(state)).toEqual(['big', 'big', 'big', 'big'])
  const of = (await holders(state)).map(({ data }) => ('planned' in data ? data.planned?.repository : null) ?? 'own')
  expect(of.toSorted()).toEqual(['other', 'other', 'own', 'own'])
  await startTask(state, { id: 'small' })
  await give(state)
  expect(await held(state)).toEqual(['big', 'big', 'big', 'big'])
  await endOldest(state)
  expect(await held(state)).toEqual(['big', 'big', 'big', 'small'])
})

test('two specs hold the same number of slots, also if one of them was there long before', async () => {
  const state = await createState(4)
  await startSpec(state, { id: 'first' }, 60)
  await give(state)
  for (let n = 0; n < 10; n += 1) await endOldest(state)
  await startSpec(state, { id: 'second', user: 'eve' }, 60)
  for (let n = 0; n < 4; n += 1) await endOldest(state)
  for (let n = 0; n < 8; n += 1) {
    await endOldest(state)
    expect(await held(state)).toEqual(['first', 'first', 'second', 'second'])
  }
})

test('tasks and a spec take turns in one slot, and a restart of the process changes nothing of that', async () => {
  const state = await createState(1)
  await startSpec(state, { id: 'spec' }, 20)
  for (const id of ['t1', 't2', 't3']) await startTask(state, { id })
  await give(state)
  const order = [await held(state)]
  for (let n = 0; n < 5; n += 1) {
    await endOldest(state)
    order.push(await held(state))
  }
  expect(order.flat()).toEqual(['spec', 't1', 't2', 't3', 'spec', 'spec'])
})

test('a spec of high priority holds twice the slots of a normal one', async () => {
  const state = await createState(6)
  await startSpec(state, { id: 'normal' }, 30)
  await startSpec(state, { id: 'urgent', priority: 'high' }, 30)
  await give(state)
  expect(await held(state)).toEqual(['normal', 'normal', 'urgent', 'urgent', 'urgent', 'urgent'])
})

test('no user and no spec gets more slots than the user of the machine allows, though some are left', async () => {
  const state = await createState(8)
  await startSpec(state, { id: 'a1', user: 'ann' }, 9)
  await startSpec(state, { id: 'a2', user: 'ann' }, 9)
  await startSpec(state, { id: 'b1', user: 'bob' }, 9)
  await give(state, { per_user: 3, per_run: 2 })
  expect(await held(state)).toEqual(['a1', 'a1', 'a2', 'b1', 'b1'])
})

test('a single approved story is merged after one of the many that were approved before it', async () => {
  const state = await createState(1)
  const { engine, store } = state
  const merging = { clock, model, scope: createScope('all', { only: false }) } as const
  await startSpec(state, { id: 'big' }, 40)
  await startSpec(state, { id: 'small' }, 1)
  await engine.transact(async (tx) => {
    for (const story of await tx.machines({ kind: 'story' })) {
      const { run, id, story: name } = story
      const data = { name: name ?? '', candidate: 'c', reviewer: 'architect', attempt: null, commit: null }
      await tx.create({ id: `${id}/merge`, kind: 'merge', run, story: name, data }, 'rest')
    }
  })
  const merged: string[] = []
  for (let n = 0; n < 4; n += 1) {
    await engine.transact((tx) => startNextMerge(tx, merging))
    const [merge] = await store.machines({ kind: 'merge', states: ['MERGING'] })
    if (merge === undefined) throw new Error('nothing is merged')
    merged.push(merge.run)
    await engine.transact((tx) => tx.move(merge, 'cancelled', { next: 'rest' }))
  }
  expect(merged).toEqual(['big', 'small', 'big', 'big'])
})

test('a waiting user learns who holds the slots, when its turn is, and which bound blocks it', async () => {
  const state = await createState(4)
  const said = async (id: string, slots: SlotCaps = {}) => {
    const run = await state.store.machineOf('run', id)
    return run && (await readWaitsForSlot(state.store, run, slots))?.sentence
  }
  await startSpec(state, { id: 'alone' }, 9)
  await give(state)
  expect(await said('alone')).toBeUndefined()
  await startSpec(state, { id: 'late' }, 1)
  await startTask(state, { id: 'later' })
  expect(await said('late')).toBe('1 story waits for a slot. Of 4 slots other runs hold 4. It is next in turn.')
  expect(await said('later')).toBe('It waits for a slot. Of 4 slots other runs hold 4. 1 run is before it.')
  await endOldest(state)
  expect(await said('alone')).toBe(
    '5 stories wait for a slot. Of 4 slots other runs hold 1, and this run holds 3. 1 run is before it.',
  )
  expect(await said('alone', { per_run: 3 })).toContain('`slots.per_run` in your own file is reached.')
})
