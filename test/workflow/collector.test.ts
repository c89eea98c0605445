import { EventEmitter, once } from 'node:events'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { limits } from '../../src/domain/limits.ts'
import type { DependencyLayers } from '../../src/gate/layers/dependency-layers.ts'
import { type Collector, createCollector } from '../../src/workflow/run/collect-garbage.ts'
import { alone } from '../../src/workflow/share.ts'
import { createMemoryArtifacts } from '../world/artifacts.ts'
import { createMemoryClock, type MemoryClock } from '../world/clock.ts'
import { createMemoryGit } from '../world/git.ts'
import { createMemoryStore } from '../world/store.ts'

let collector: Collector
let clock: MemoryClock
/** Leaves a verification that no row names. */
let leave: (name: string, began?: string) => Promise<string>
let left: () => Promise<readonly string[]>
/** Number of collections that have looked for removable files. */
let begun: number
/** Resolves when the next collection is done. */
let collected: () => Promise<void>

beforeEach(async () => {
  clock = createMemoryClock()
  const store = await createMemoryStore({ clock })
  const { history, disk, workTrees } = createMemoryGit('/state')
  const whole = createMemoryArtifacts('/state/artifacts', disk, String)
  begun = 0
  const ended = new EventEmitter()
  collected = async () => void (await once(ended, 'trimmed'))
  const artifacts = {
    ...whole,
    runs() {
      begun += 1
      return whole.runs()
    },
    trimCache: (options: Parameters<typeof whole.trimCache>[0]) =>
      whole.trimCache(options).finally(() => ended.emit('trimmed')),
  }
  leave = async (name, began = '20260101_000000') => {
    const run = `run_${began}_${name}`
    await whole.openRun(run, { ofBase: false })
    return run
  }
  left = () => whole.runs()
  const layers: Pick<DependencyLayers, 'existing'> = { existing: async () => [] }
  const homes = { lanes: async () => [], remove: async () => {}, open: async () => Promise.reject(new Error('none')) }
  const deps = { share: alone, artifacts, store, clock, history, workTrees, blobs: null, homes }
  collector = createCollector({ ...deps, layers: layers as DependencyLayers, transact: store.transact })
  onTestFinished(() => store.close())
})

/** Enough turns of the event loop for due work to start, or to end. */
async function turns(): Promise<void> {
  for (let i = 0; i < 50; i += 1) await new Promise(setImmediate)
}

test('collecting leaves its first seconds to the work, each time, and is in no hurry until its end', async () => {
  for (const [i, name] of ['aaaaaa', 'bbbbbb'].entries()) {
    await leave(name)
    collector.begin()
    await clock.advance(limits.collectAfterMs - 1)
    await turns()
    expect(begun).toBe(i)
    const end = collected()
    await clock.advance(1)
    await end
    expect(await left()).toEqual([])
    await turns()
  }
  await leave('cccccc')
  collector.begin()
  await collector.stop({ drain: true })
  expect(await left()).toEqual([])
})

test('a collection that is still put off does not begin when its owner gives up', async () => {
  const run = await leave('aaaaaa')
  collector.begin()
  await collector.stop({ drain: false })
  expect(begun).toBe(0)
  expect(await left()).toEqual([run])
})

test('the files that this process uses stay, even without a verification of that name', async () => {
  const [date = '', time = ''] = clock.now().toISOString().replaceAll(/[-:]/g, '').split(/[T.]/)
  const own = await leave('zzzzzz', `${date}_${time}`)
  await leave('aaaaaa')
  collector.begin()
  await collector.stop({ drain: true })
  expect(await left()).toEqual([own])
})
