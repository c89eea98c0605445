import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { mkdir, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createArtifacts } from '../../src/adapters/artifacts/artifacts.ts'
import { createFolderBlobs } from '../../src/adapters/blobs/folder-blobs.ts'
import { sharedLayerFolder } from '../../src/domain/layer/shared-layer.ts'
import type { BlobStore } from '../../src/ports/blobs.ts'
import type { JobStore } from '../../src/ports/jobs.ts'
import { removeLayerBlobs } from '../../src/workflow/stored/collect-layers.ts'
import { createLayerSharing, type SharingOptions } from '../../src/workflow/stored/share-layers.ts'
import { stores } from '../contracts/stores.ts'

const key = 'a'.repeat(32)
const programs = async () => 'of one machine'
const wanted = { key, outputs: ['deps'], programs }
/** Under which machines with these programs share it. */
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
  await mkdir(place)
})
afterEach(async () => {
  await leaveStore()
  rmSync(top, { recursive: true, force: true })
})

/** What one machine works with. */
function machine(name: string, blobs: BlobStore = createFolderBlobs(place)) {
  const artifacts = createArtifacts(join(top, name), String)
  const clock = { now: () => new Date(Date.now() + ahead) }
  const engine = { transact: store.transact as unknown as SharingOptions['engine']['transact'] }
  const sharing = createLayerSharing({ blobs, artifacts, store, engine, clock })
  const put = (afterEach: () => Promise<void> = quietly) => {
    sharing.offer({ key, programs })
    return sharing.put(key, { space: name, afterEach }, signal)
  }
  return {
    ...{ artifacts, sharing, put },
    async make(content: string): Promise<void> {
      const draft = await artifacts.draftLayer(key)
      await mkdir(join(draft.upper, 'deps'))
      await writeFile(join(draft.upper, 'deps/stamp'), content)
      draft.log.close()
      await draft.keep(['deps'], { isOfStart: true })
    },
    /** What it gets from others. */
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
})

describe('a machine', () => {
  beforeEach(() => begin(sqlite))

  test('waits a bounded time for a folder that hangs, and makes the layer then', async () => {
    const one = machine('one')
    await one.make('of one')
    await one.put()
    const [row] = await rows()
    const file = join(place, 'one', sharedLayerFolder(name), row?.data.index ?? '')
    await rm(file)
    // Whoever opens it waits until somebody writes.
    execFileSync('mkfifo', [file])
    expect(await machine('two').fetched()).toBeNull()
    await (await open(file, 'w')).close()
  })
})
