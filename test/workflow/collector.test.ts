import { EventEmitter, once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSqliteStore } from '../../src/adapters/store/sqlite-store.ts'
import { limits } from '../../src/domain/limits.ts'
import { createDependencyLayers } from '../../src/gate/layers/dependency-layers.ts'
import { type Collector, createCollector } from '../../src/workflow/run/collect-garbage.ts'
import { alone } from '../../src/workflow/share.ts'
import { createFixture, type Fixture } from '../scenarios/world/fixture.ts'

let fixture: Fixture
let collector: Collector
let runs: string
let close: () => Promise<void>
/** Collections that have looked for something to remove. */
let begun: number
/** Resolves when the next collection has done the last of its work. */
let collected: () => Promise<void>

beforeEach(async () => {
  fixture = await createFixture()
  const { artifacts: folder, clock, history, workTrees, sandbox, foreign, ...drydock } = await fixture.open()
  runs = join(folder, 'runs')
  const store = await createSqliteStore({ file: join(fixture.folder, 'drydock.db'), clock })
  begun = 0
  const ended = new EventEmitter()
  collected = async () => void (await once(ended, 'trimmed'))
  const whole = drydock.openArtifacts()
  const artifacts = {
    ...whole,
    runs() {
      begun += 1
      return whole.runs()
    },
    trimCache: (options: Parameters<typeof whole.trimCache>[0]) =>
      whole.trimCache(options).finally(() => ended.emit('trimmed')),
  }
  const layers = createDependencyLayers({ history, workTrees, artifacts, sandbox, shared: null })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const deps = { share: alone, artifacts, store, clock, layers, history, workTrees, blobs: null }
  collector = createCollector({ ...deps, homes: foreign.homes, transact: store.transact })
  close = () => store.close()
})
afterEach(async () => {
  vi.useRealTimers()
  await close()
  await fixture.remove()
})

/** Nobody knows this verification. */
function leave(name: string): string {
  const place = join(runs, `run_20260101_000000_${name}`)
  mkdirSync(place, { recursive: true })
  return place
}

/** As many turns of the event loop as what is due needs to begin, or to end. */
async function turns(): Promise<void> {
  for (let i = 0; i < 50; i += 1) await new Promise(setImmediate)
}

test('collecting leaves its first seconds to the work, each time, and is in no hurry until its end', async () => {
  for (const [i, name] of ['aaaaaa', 'bbbbbb'].entries()) {
    const place = leave(name)
    collector.begin()
    vi.advanceTimersByTime(limits.collectAfterMs - 1)
    await turns()
    expect(begun).toBe(i)
    const end = collected()
    vi.advanceTimersByTime(1)
    await end
    expect(existsSync(place)).toBe(false)
    await turns()
  }
  const last = leave('cccccc')
  collector.begin()
  await collector.stop({ drain: true })
  expect(existsSync(last)).toBe(false)
})

test('a collection that is still put off does not begin when its owner gives up', async () => {
  const place = leave('aaaaaa')
  collector.begin()
  await collector.stop({ drain: false })
  expect(begun).toBe(0)
  expect(existsSync(place)).toBe(true)
})
