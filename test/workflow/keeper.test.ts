import { EventEmitter, on } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createFolderBlobs } from '../../src/adapters/blobs/folder-blobs.ts'
import { createBlobStandingFile } from '../../src/adapters/blobs/standing-file.ts'
import { limits } from '../../src/domain/limits.ts'
import type { BlobStanding, BlobStore } from '../../src/ports/blobs.ts'
import type { JobStore } from '../../src/ports/jobs.ts'
import { createKeeper, type Keeper, type KeeperOptions } from '../../src/workflow/stored/keeper.ts'
import { createMemoryArtifacts } from '../world/artifacts.ts'
import { createMemoryClock, type MemoryClock } from '../world/clock.ts'
import { createMemoryGit } from '../world/git.ts'
import { createMemoryStore } from '../world/store.ts'

let top: string
let place: string
let clock: MemoryClock
let store: JobStore
let artifacts: ReturnType<typeof createMemoryArtifacts>
/** The updates of the state's blob standing. */
let said: AsyncIterator<[BlobStanding]>
/** The ids of verifications whose upload has started. */
let tried: string[]
let keep: () => Keeper
/** Replaces the folder as the storage of blobs. */
let put: ReturnType<BlobStore['at']>['put'] | null

beforeEach(async () => {
  top = mkdtempSync(join(tmpdir(), 'drydock-keeper-'))
  place = join(top, 'place')
  clock = createMemoryClock()
  store = await createMemoryStore({ clock })
  artifacts = createMemoryArtifacts('/state/artifacts', createMemoryGit('/state').disk, String)
  tried = []
  put = null
  const told = new EventEmitter()
  const file = createBlobStandingFile(join(top, 'blobs.json'))
  const folder = createFolderBlobs(place)
  const blobs: BlobStore = {
    ...folder,
    at(of) {
      tried.push(of.name)
      return { ...folder.at(of), ...(put && { put }) }
    },
  }
  const standing = {
    read: file.read,
    async write(next: BlobStanding) {
      await file.write(next)
      told.emit('told', next)
    },
  }
  const ended = new AbortController()
  said = on(told, 'told', { signal: ended.signal }) as never
  const engine = { transact: store.transact } as unknown as KeeperOptions['engine']
  keep = () => createKeeper({ blobs: { store: blobs, standing }, artifacts, store, engine, clock, sharing: null })
  onTestFinished(async () => {
    ended.abort()
    await store.close()
    rmSync(top, { recursive: true, force: true })
  })
})

/** A verification with a log, unless its files are gone. */
async function leave(name: string, { state = 'ENDED', stored = null as object | null, files = true } = {}) {
  const runId = `run_20310101_000000_${name}`
  if (files) {
    const run = await artifacts.openRun(runId, { ofBase: false })
    const log = run.openLog('combined.log')
    log.write(Buffer.from(name))
    log.close()
    await run.finish({ status: 'PASS' } as Parameters<typeof run.finish>[0])
  }
  const data = { runId, requestedAt: clock.now().toISOString(), merge: null, stored }
  const machine = { id: runId, kind: 'verification', run: 'r', story: null, state, data } as const
  await store.transact((tx) => tx.insertMachine(machine))
  return runId
}

async function next(): Promise<BlobStanding> {
  return (await said.next()).value[0]
}

/** The next matching update. */
async function until(isMeant: (standing: BlobStanding) => boolean): Promise<BlobStanding> {
  for (;;) {
    const standing = await next()
    if (isMeant(standing)) return standing
  }
}

const isStored = async (runId: string) => Boolean((await store.machineOf('verification', runId))?.data.stored)

test('a place that is out is named since its first failure, and asked after growing pauses alone, whatever ends meanwhile', async () => {
  const keeper = keep()
  const a = await leave('aaaaaa')
  keeper.add(a)
  await clock.advance(limits.blobs.settleMs)
  const first = await until(({ problem }) => problem !== null)
  expect(first).toMatchObject({ waiting: 1, since: clock.now().toISOString() })
  const again = clock.next()
  const b = await leave('bbbbbb')
  keeper.add(b)
  expect(clock.next()).toEqual(again)

  await clock.advance(limits.blobs.firstPauseMs)
  const second = await until(({ waiting }) => waiting === 2)
  expect(second).toMatchObject({ problem: first.problem, since: first.since })
  await mkdir(place)
  await clock.advance(limits.blobs.longestPauseMs)
  expect(await until(({ problem }) => problem === null)).toMatchObject({ waiting: 0, since: null })
  expect([await isStored(a), await isStored(b)]).toEqual([true, true])
  await keeper.end({ drain: true })
})

test('uploads of earlier processes are completed, and no stored, running or missing one is uploaded', async () => {
  await mkdir(place)
  const left = await leave('aaaaaa')
  await leave('bbbbbb', { stored: { space: 's', index: 'i', files: 1, bytes: 1 } })
  await leave('cccccc', { state: 'REQUESTED' })
  await leave('dddddd', { files: false })
  const keeper = keep()
  keeper.begin()
  await clock.advance(limits.collectAfterMs)
  expect(await next()).toMatchObject({ waiting: 1, problem: null })
  await until(({ waiting }) => waiting === 0)
  expect([await isStored(left), new Set(tried)]).toEqual([true, new Set([left])])
  await keeper.end({ drain: true })
})

test('the end of a process stores the rest, or leaves it to the next one, which is said', async () => {
  await mkdir(place)
  const leaving = keep()
  const a = await leave('aaaaaa')
  leaving.add(a)
  await leaving.end({ drain: false })
  expect([await isStored(a), await next()]).toEqual([false, expect.objectContaining({ waiting: 1, problem: null })])

  const draining = keep()
  const b = await leave('bbbbbb')
  draining.add(b)
  await draining.end({ drain: true })
  expect([await isStored(a), await isStored(b)]).toEqual([true, true])
  expect(await until(({ waiting }) => waiting === 0)).toMatchObject({ problem: null })
})

test('a place that says nothing holds up the end of a process for a while, and is named then', async () => {
  await mkdir(place)
  const asked = Promise.withResolvers<void>()
  put = (_, signal) => {
    asked.resolve()
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const keeper = keep()
  keeper.add(await leave('aaaaaa'))
  const ended = keeper.end({ drain: true })
  await asked.promise
  await clock.advance(limits.blobs.endMs)
  await ended
  expect(await until(({ problem }) => problem !== null)).toMatchObject({
    waiting: 1,
    problem: 'the last process ended before the place had taken all of them.',
  })
})

test('a place that was out before the end of a process keeps its own reason', async () => {
  const keeper = keep()
  keeper.add(await leave('aaaaaa'))
  await clock.advance(limits.blobs.settleMs)
  const { problem } = await until((standing) => standing.problem !== null)
  await keeper.end({ drain: true })
  const again = await createBlobStandingFile(join(top, 'blobs.json')).read()
  expect(again).toMatchObject({ waiting: 1, problem })
})
