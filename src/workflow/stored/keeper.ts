import { randomUUID } from 'node:crypto'
import { backoffMs } from '../../domain/backoff.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { kept } from '../../domain/run/retention.ts'
import { actAfter } from '../../ports/act-after.ts'
import type { Artifacts } from '../../ports/artifacts.ts'
import type { BlobStanding, KeptBlobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Engine } from '../../ports/engine.ts'
import { type Records, StaleVersion } from '../../ports/store.ts'
import type { LayerSharing } from './share-layers.ts'
import { storeFiles } from './store-files.ts'

export interface KeeperOptions {
  readonly blobs: KeptBlobs
  readonly artifacts: Pick<Artifacts, 'files' | 'readFile' | 'runs'>
  readonly store: Records
  readonly engine: Pick<Engine, 'transact'>
  readonly clock: Clock
  /** Null if layers are not shared. */
  readonly sharing: LayerSharing | null
}

/**
 * Uploads the files of ended verifications while work runs, one verification at a time, and shared
 * layers when no verification waits. An unreachable storage is retried after growing pauses, and by
 * the next process; no work waits for it or fails because of it.
 */
export interface Keeper {
  /** Starts with uploads that earlier processes have left. */
  begin(): void
  /** Queues the upload of a verification that has ended. */
  add(runId: string): void
  /**
   * Uploads the rest as long as the storage works; without `drain` leaves it to the next process.
   */
  end(options: { readonly drain: boolean }): Promise<void>
}

export function createKeeper({
  blobs: { store: blobs, standing },
  artifacts,
  store,
  engine,
  clock,
  sharing,
}: KeeperOptions): Keeper {
  const stop = new AbortController()
  const waiting: string[] = []
  const layers: string[] = []
  let known: BlobStanding | null = null
  let looked = false
  let failures = 0
  let cancelWake = () => {}
  let working: Promise<void> | null = null
  /** Cancels the timer that ends the process's wait for an unresponsive storage. */
  let cancelEnd: (() => void) | null = null
  const endLater = () => actAfter(clock, { ms: limits.blobs.endMs }, () => stop.abort())
  const progressed = () => {
    if (cancelEnd === null) return
    cancelEnd()
    cancelEnd = endLater()
  }
  const isMore = () => waiting.length + layers.length > 0

  async function told(change: Partial<BlobStanding>): Promise<BlobStanding> {
    const before = known ?? (await standing.read())
    const next = { ...(before ?? { space: randomUUID(), waiting: 0, problem: null, since: null }), ...change }
    const isSame = before !== null && next.waiting === before.waiting && next.problem === before.problem
    // The space is written to disk before the first upload.
    if (!isSame) await standing.write(next)
    known = next
    return next
  }

  /** Queues uploads that an earlier process has left, even if it was killed. */
  async function look(): Promise<void> {
    const there = new Set(await artifacts.runs())
    const verifications = await store.machines({ kind: 'verification' })
    const staying = kept({ verifications, runs: await store.machines({ kind: 'run' }), now: clock.now() })
    const left = verifications.filter(({ state, data }) => state === 'ENDED' && !data.stored && staying.has(data.runId))
    for (const { data } of left) if (there.has(data.runId) && !waiting.includes(data.runId)) waiting.push(data.runId)
    looked = true
  }

  async function storeAll(): Promise<void> {
    if (!looked) await look()
    await storeVerifications()
    for (let [key] = layers; key !== undefined && !stop.signal.aborted; [key] = layers) {
      await shareLayer(key)
      layers.shift()
      await storeVerifications()
    }
    if (!isMore()) await told({ waiting: 0, problem: null, since: null })
  }

  async function storeVerifications(): Promise<void> {
    for (let [runId] = waiting; runId !== undefined && !stop.signal.aborted; [runId] = waiting) {
      await storeOne(runId)
      waiting.shift()
      failures = 0
    }
  }

  /**
   * A layer can be large, so verifications that end in the meantime are stored between its blobs.
   */
  async function shareLayer(key: string): Promise<void> {
    const { space } = await told({ waiting: waiting.length })
    const afterEach = async () => {
      progressed()
      await storeVerifications()
    }
    await sharing?.put(key, { space, afterEach }, stop.signal)
    failures = 0
  }

  async function storeOne(runId: string): Promise<void> {
    const verification = await store.machineOf('verification', runId)
    if (verification?.state !== 'ENDED' || verification.data.stored) return
    const { space } = await told({ waiting: waiting.length })
    const stored = await storeFiles({ artifacts, blobs, progressed }, { space, runId }, stop.signal).catch(
      async (error) => {
        // Retention or a person has removed the files in the meantime.
        if ((await artifacts.files(runId)).length === 0) return null
        throw error
      },
    )
    if (stored !== null) await record(runId, stored)
  }

  /** The blobs are uploaded by now; after a crash before this commit they are uploaded again. */
  async function record(runId: string, stored: NonNullable<Awaited<ReturnType<typeof storeFiles>>>): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const verification = await store.machineOf('verification', runId)
      if (verification?.state !== 'ENDED') return
      try {
        await engine.transact(async (tx) => {
          await tx.edit(verification, { stored })
        })
        return
      } catch (error) {
        if (!(error instanceof StaleVersion) || tries === limits.staleTries) throw error
      }
    }
  }

  function wakeAfter(ms: number): void {
    cancelWake()
    cancelWake = actAfter(clock, { ms, keepsAlive: false }, start)
  }

  function start(): void {
    working ??= storeAll()
      .catch(async (error: unknown) => {
        if (stop.signal.aborted) return
        failures += 1
        // Moves the failed entry to the end, since others may succeed.
        for (const queue of [waiting, layers]) queue.push(...queue.splice(0, 1))
        wakeAfter(backoffMs(limits.blobs, failures, clock.random()))
        const problem = error instanceof DrydockError ? error.message : `the files could not be read (${nameOf(error)})`
        const since = known?.since ?? clock.now().toISOString()
        await told({ waiting: waiting.length, problem, since }).catch(() => undefined)
      })
      .finally(() => {
        working = null
        if (failures === 0 && isMore() && !stop.signal.aborted) wakeAfter(limits.blobs.settleMs)
      })
  }

  function add(queue: string[], name: string): void {
    if (!queue.includes(name)) queue.push(name)
    if (failures === 0) wakeAfter(limits.blobs.settleMs)
  }

  /** A storage that never responds before the process has to end gives no reason. */
  function unkept(drain: boolean): Partial<BlobStanding> {
    if (!drain || known?.problem) return {}
    const problem = 'the last process ended before the place had taken all of them.'
    return { problem, since: clock.now().toISOString() }
  }

  return {
    begin() {
      sharing?.onOffer((key) => add(layers, key))
      wakeAfter(limits.collectAfterMs)
    },
    add: (runId) => add(waiting, runId),
    async end({ drain }) {
      cancelEnd = endLater()
      const cancelMost = actAfter(clock, { ms: limits.blobs.longestEndMs }, () => stop.abort())
      cancelWake()
      if (failures > 0 || !drain) stop.abort()
      await working
      if (failures === 0 && !stop.signal.aborted && isMore()) {
        start()
        await working
      }
      stop.abort()
      cancelWake()
      cancelEnd()
      cancelEnd = null
      cancelMost()
      if (waiting.length > 0) await told({ waiting: waiting.length, ...unkept(drain) }).catch(() => undefined)
    },
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'Error'
}
