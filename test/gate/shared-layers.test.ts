import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFolderBlobs } from '../../src/adapters/blobs/folder-blobs.ts'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createSqliteStore } from '../../src/adapters/store/sqlite-store.ts'
import type { Run } from '../../src/domain/run/run.ts'
import { beganWith } from '../../src/domain/run/run.ts'
import { createDependencyLayers } from '../../src/gate/layers/dependency-layers.ts'
import type { JobStore } from '../../src/ports/jobs.ts'
import { createLayerSharing, type SharingOptions } from '../../src/workflow/stored/share-layers.ts'
import { type MemoryGate, makeMemoryGate } from './memory-gate.ts'
import { configOf } from './verifier-world.ts'

let world: MemoryGate
let top: string
let store: JobStore
let offered: string[]
beforeEach(async () => {
  world = makeMemoryGate({ lock: 'one\n', 'seed.txt': 'base\n' })
  top = mkdtempSync(join(tmpdir(), 'drydock-layers-'))
  store = await createSqliteStore({ file: join(top, 'drydock.db'), clock: createSystemClock() })
  offered = []
})
afterEach(async () => {
  await store.close()
  rmSync(top, { recursive: true })
})

/** The installed files depend on more than the declared inputs. */
const prepare = [{ command: 'mkdir deps && cat lock seed.txt > deps/all' }]
const steps = [{ command: 'cat deps/all' }]
const config = configOf({ prepare, steps })

/** Makes the layer of a commit, and returns its name. */
async function make(commit: string, base: string, isFromStart: boolean, of = config): Promise<string | undefined> {
  const { history, workTrees, sandbox, artifacts, signal } = world
  const engine = { transact: store.transact as unknown as SharingOptions['engine']['transact'] }
  const blobs = createFolderBlobs(top)
  const shared = createLayerSharing({ blobs, artifacts, store, engine, clock: createSystemClock() })
  shared.onOffer((key) => offered.push(key))
  const layers = createDependencyLayers({ history, workTrees, artifacts, sandbox, shared })
  const where = { config: of, commit, base, isFromStart, checkout: 'coder-001' }
  const made = await layers.make({ ...where, onStep: async () => {}, onOutput: () => {} }, signal)
  return made.ok ? made.layers.at(-1)?.key : undefined
}

test('the layer of a commit that a run began with is offered to other machines, also when it is found here', async () => {
  const key = await make(world.tip, world.tip, true)
  expect(offered).toEqual([key])
  await make(world.tip, world.tip, true)
  expect(offered).toEqual([key, key])
})

test('a layer that was made in a base which stories have changed is not, also when a later run finds it', async () => {
  const merged = world.commitChange({ 'seed.txt': 'planted\n' })
  const key = await make(merged, merged, false)
  expect(await make(world.tip, world.tip, true)).toBe(key)
  expect(offered).toEqual([])
})

test('a layer that was made over one that is not offered is not, either', async () => {
  const merged = world.commitChange({ 'seed.txt': 'planted\n' })
  await make(merged, merged, false)
  const second = { name: 'second', command: 'mkdir more && cat deps/all > more/all', outputs: ['more'] }
  await make(world.tip, world.tip, true, configOf({ prepare: [...prepare, second], steps }))
  expect(offered).toEqual([])
})

test('a layer of a change is not, and for one without own dependencies that of its base is', async () => {
  const own = world.commitChange({ lock: 'two\n', 'seed.txt': 'planted\n' })
  await make(own, world.tip, true)
  expect(offered).toEqual([])
  const same = world.commitChange({ 'seed.txt': 'planted\n' })
  const key = await make(same, world.tip, true)
  expect(offered).toEqual([key])
  const layer = await world.artifacts.layer(key ?? '')
  expect(layer?.isOfStart).toBe(true)
})

test('a run began with its base alone, and not with what the run before it has built', () => {
  const run = (follows?: object) =>
    ({ data: { base: 'a', request: { kind: 'task', ...(follows && { follows }) } } }) as unknown as Run
  expect([beganWith(run(), 'a'), beganWith(run(), 'b'), beganWith(run({ base: 'a' }), 'a')]).toEqual([
    true,
    false,
    false,
  ])
})
