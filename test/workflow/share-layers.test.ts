import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, open, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createArtifacts } from '../../src/adapters/artifacts/artifacts.ts'
import { createFolderBlobs } from '../../src/adapters/blobs/folder-blobs.ts'
import { createS3Blobs } from '../../src/adapters/blobs/s3/s3-blobs.ts'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { keptLayers, type SharedLayer, sharedLayerFolder } from '../../src/domain/layer/shared-layer.ts'
import { limits } from '../../src/domain/limits.ts'
import type { BlobStore } from '../../src/ports/blobs.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { JobStore } from '../../src/ports/jobs.ts'
import { forgetLayers, removeLayerBlobs } from '../../src/workflow/stored/collect-layers.ts'
import { createLayerSharing, type SharingOptions } from '../../src/workflow/stored/share-layers.ts'
import { s3Settings } from '../contracts/blob-places.ts'
import { stores } from '../contracts/stores.ts'
import { breaksOff, standBetween } from '../wire/s3-between.ts'
import { startFauxqs } from '../wire/s3-servers.ts'

const key = 'a'.repeat(32)
const programs = async () => 'of one machine'
const wanted = { key, outputs: ['deps'], programs }
/** The name under which machines with these programs share the layer. */
const name = createHash('sha256')
  .update(JSON.stringify([key, 'of one machine']))
  .digest('hex')
  .slice(0, 32)
const { signal } = new AbortController()
const quietly = async () => {}

let top: string
let store: JobStore
let place: string
let leaveStore: () => Promise<void>
/** Milliseconds that the clock is ahead. */
let ahead = 0
/** Replaces the clock's sleep. */
let sleep: Clock['sleep']

async function begin(adapter: (typeof stores)[number]): Promise<void> {
  const location = await adapter.createLocation()
  store = await adapter.open(location)
  leaveStore = async () => {
    await store.close()
    await adapter.remove(location)
  }
}

beforeEach(async () => {
  top = mkdtempSync(join(tmpdir(), 'drydock-share-'))
  place = join(top, 'place')
  ahead = 0
  sleep = createSystemClock().sleep
  await mkdir(place)
})
afterEach(async () => {
  await leaveStore()
  rmSync(top, { recursive: true, force: true })
})

/** The parts of one machine. */
function machine(name: string, blobs: BlobStore = createFolderBlobs(place)) {
  const artifacts = createArtifacts(join(top, name), String)
  const clock = { now: () => new Date(Date.now() + ahead), sleep }
  const engine = { transact: store.transact as unknown as SharingOptions['engine']['transact'] }
  const sharing = createLayerSharing({ blobs, artifacts, store, engine, clock })
  const put = (afterEach: () => Promise<void> = quietly) => {
    sharing.offer({ key, programs })
    return sharing.put(key, { space: name, afterEach }, signal)
  }
  return {
    artifacts,
    sharing,
    put,
    async make(content: string): Promise<void> {
      const draft = await artifacts.draftLayer(key)
      await mkdir(join(draft.upper, 'deps'))
      await writeFile(join(draft.upper, 'deps/stamp'), content)
      draft.log.close()
      await draft.keep(['deps'], { isOfStart: true })
    },
    /** Fetches a layer from others, and returns its stamp. */
    async fetched(more: object = {}): Promise<string | null> {
      const layer = await sharing.fetch({ ...wanted, ...more }, signal)
      return layer === null ? null : readFileSync(join(layer.folder, 'deps/stamp'), 'utf8')
    },
    async collect(): Promise<readonly string[]> {
      const listed = await blobs.folders(name, signal)
      return removeLayerBlobs({ blobs, artifacts, store, space: name, listed }, signal)
    },
  }
}

const rows = () => store.machines({ kind: 'shared_layer' })
const [sqlite] = stores as [(typeof stores)[number]]

describe.each(stores)('on $name', (adapter) => {
  beforeEach(() => begin(adapter))

  test('if two machines share the same layer at once one does, and the other one leaves no blobs', async () => {
    const [one, two] = [machine('one'), machine('two')]
    await one.make('of one')
    await two.make('of two')
    let others: Promise<void> | null = null
    await one.put(async () => {
      others ??= two.put()
      await others
    })
    expect(await rows()).toMatchObject([{ state: 'SHARED', version: expect.any(Number), data: { space: 'two' } }])
    expect(readdirSync(join(place, 'two'))).toEqual([sharedLayerFolder(name)])
    expect(readdirSync(join(place, 'one'))).toEqual([])
    expect(await machine('three').fetched()).toBe('of two')
  })

  test('a layer whose blobs are gone is uploaded again by any machine that has made it, and found by all', async () => {
    const [one, two] = [machine('one'), machine('two')]
    await one.make('of one')
    await one.put()
    await rm(join(place, 'one'), { recursive: true })
    expect(await two.fetched()).toBeNull()
    await two.make('of two')
    await two.put()
    expect(await rows()).toMatchObject([{ state: 'SHARED', data: { space: 'two' } }])
    expect(await machine('three').fetched()).toBe('of two')
  })

  test('a layer whose blobs were changed is put by another machine, and what was changed is removed', async () => {
    const [one, two] = [machine('one'), machine('two')]
    await one.make('of one')
    await one.put()
    const folder = join(place, 'one', sharedLayerFolder(name))
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), 'evil')
    expect(await two.fetched()).toBeNull()
    await two.make('of two')
    await two.put()
    expect(await one.collect()).toEqual([name])
    expect(await two.collect()).toEqual([])
    expect(await machine('three').fetched()).toBe('of two')
  })

  test('a use is noted once an hour, and what was used stays', async () => {
    const one = machine('one')
    await one.make('of one')
    await one.put()
    const [put] = await rows()
    await one.put()
    expect(await rows()).toEqual([put])
    ahead = 13 * 86_400_000
    await one.put()
    ahead = 20 * 86_400_000
    const forget = () => forgetLayers({ store, transact: store.transact, now: new Date(Date.now() + ahead) })
    await forget()
    expect(await rows()).toMatchObject([{ state: 'SHARED' }])
    ahead = 28 * 86_400_000
    await forget()
    expect(await rows()).toMatchObject([{ state: 'REMOVED' }])
    expect(await machine('two').fetched()).toBeNull()
    expect(await one.collect()).toEqual([name])
    await one.put()
    expect(await machine('two').fetched()).toBe('of one')
  })
})

describe('a machine', () => {
  beforeEach(() => begin(sqlite))

  test('removes no blobs of a layer while it puts them, nor those of another machine', async () => {
    const [one, two] = [machine('one'), machine('two')]
    await one.make('of one')
    let collecting: Promise<readonly string[]> | null = null
    await one.put(async () => {
      collecting ??= one.collect()
      await Promise.race([collecting, Promise.resolve()])
    })
    expect(await collecting).toEqual([])
    await two.collect()
    expect(await machine('three').fetched()).toBe('of one')
  })

  test('gets no layer that was made with other programs than it has', async () => {
    const one = machine('one')
    await one.make('of one')
    await one.put()
    expect(await machine('two').fetched({ programs: async () => 'of another machine' })).toBeNull()
    expect(await machine('two').fetched()).toBe('of one')
  })

  test('offers a layer once an hour', async () => {
    const { sharing } = machine('one')
    const told: string[] = []
    sharing.onOffer((each) => told.push(each))
    const layer = { key, programs }
    sharing.offer(layer)
    sharing.offer(layer)
    ahead = limits.sharedLayers.touchMs
    sharing.offer(layer)
    expect(told).toEqual([key, key])
  })

  test('asks a place that has failed only once in a while, so that no work waits for it again', async () => {
    const server = await startFauxqs()
    const between = await standBetween(server.url)
    onTestFinished(async () => {
      await between.close()
      await server.close()
    })
    const blobs = () => createS3Blobs(s3Settings(between.url), createSystemClock())
    const one = machine('one', blobs())
    await one.make('of one')
    await one.put()
    const two = machine('two', blobs())
    between.fault(breaksOff)
    expect(await two.fetched()).toBeNull()
    between.fault(null)
    const asked = between.asked.length
    expect(await two.fetched()).toBeNull()
    expect(between.asked).toHaveLength(asked)
    ahead = limits.sharedLayers.pauseMs
    expect(await two.fetched()).toBe('of one')
  })

  test('waits a bounded time for a folder that hangs, and makes the layer then', async () => {
    const one = machine('one')
    await one.make('of one')
    await one.put()
    const [row] = await rows()
    const file = join(place, 'one', sharedLayerFolder(name), row?.data.index ?? '')
    await rm(file)
    // A reader of the pipe waits until somebody writes.
    execFileSync('mkfifo', [file])
    const opened = open(file, 'w')
    sleep = async () => void (await opened)
    expect(await machine('two').fetched()).toBeNull()
    await (await opened).close()
  })

  test('stops to wait when it is stopped, and says so', async () => {
    const one = machine('one')
    await one.make('of one')
    await one.put()
    const stopped = AbortSignal.abort(new Error('Drydock stops'))
    await expect(machine('two').sharing.fetch(wanted, stopped)).rejects.toThrow('Drydock stops')
    expect(await readdir(join(top, 'two/cache/layers'))).toEqual([])
  })

  test('refuses a layer whose index or pieces were changed in the place', async () => {
    const one = machine('one')
    await one.make('of one')
    await one.put()
    const folder = join(place, 'one', sharedLayerFolder(name))
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), 'evil')
    expect(await machine('two').fetched()).toBeNull()
    expect(await readdir(join(top, 'two/cache/layers'))).toEqual([])
  })
})

test('keeps the most recently used shared layers, up to a number and a size', async () => {
  leaveStore = quietly
  const now = new Date('2026-11-20T00:00:00Z')
  const layer = (i: number, bytes: number) =>
    ({ id: `${i}`, data: { bytes, usedAt: new Date(now.getTime() - i * 60_000).toISOString() } }) as SharedLayer
  const many = Array.from({ length: limits.sharedLayers.most + 5 }, (_, i) => layer(i, 1))
  expect(keptLayers(many.toReversed(), now)).toHaveLength(limits.sharedLayers.most)
  const large = [layer(0, limits.sharedLayers.bytes / 2), layer(1, limits.sharedLayers.bytes / 2), layer(2, 1)]
  expect(keptLayers(large, now).map(({ id }) => id)).toEqual(['0', '1'])
})
