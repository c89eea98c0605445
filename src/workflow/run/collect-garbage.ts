import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { refsToForget, snapshotRefs, standingOf, storyOfRef } from '../../domain/run/kept-work.ts'
import { runIn } from '../../domain/run/repositories.ts'
import { kept } from '../../domain/run/retention.ts'
import { isEnded } from '../../domain/run/run.ts'
import { isGivenSince, type Verification } from '../../domain/verification/verification.ts'
import type { GateDependencies } from '../../gate/dependencies.ts'
import { actAfter } from '../../ports/act-after.ts'
import type { Store } from '../../ports/store.ts'
import type { ForeignAgents } from '../editor/agent/foreign-agents.ts'
import { load, storyOf } from '../machines.ts'
import { keepsState } from '../share.ts'
import type { StepDependencies } from '../step-dependencies.ts'
import type { CollectedBlobs } from '../stored/collect-stored.ts'
import type { SharingDependencies } from '../stored/dependencies.ts'

export interface GarbageCount {
  /** Verifications whose artifacts were removed. */
  readonly verifications: readonly string[]
  readonly refs: readonly string[]
  /** Bytes that were removed from the caches. */
  readonly cacheBytes: number
  /** Removed remote blobs; null without remote storage. */
  readonly blobs: CollectedBlobs | null
}

/** Collects garbage from time to time while work runs, one collection at a time. */
export interface Collector {
  /**
   * Starts a collection in a few seconds, after the work that starts right now, unless one is
   * running. A failed removal is retried next time; `drydock gc` shows the reason.
   */
  begin(): void
  /**
   * Ends the delays between removals and waits for the whole collection; without `drain` waits only
   * for the current removal.
   */
  stop(options: { readonly drain: boolean }): Promise<void>
}

export function createCollector(deps: Deps): Collector {
  const stopped = new AbortController()
  const patience = new AbortController()
  const startedAt = deps.clock.now().getTime()
  let hurry = new AbortController()
  const soon = () => {
    hurry = new AbortController()
    const { signal } = hurry
    return deps.clock.sleep(limits.collectAfterMs, { signal, keepsAlive: false }).catch(() => undefined)
  }
  let running: Promise<unknown> | null = null
  return {
    begin() {
      // No step takes longer than a day.
      const unusedSince = new Date(Math.max(startedAt, deps.clock.now().getTime() - 86_400_000))
      running ??= soon()
        .then(() => {
          stopped.signal.throwIfAborted()
          return collectGarbage({ ...deps, patience: patience.signal }, unusedSince, stopped.signal)
        })
        .catch(() => null)
        .finally(() => {
          running = null
        })
    },
    async stop({ drain }) {
      if (!drain) stopped.abort()
      hurry.abort()
      const settled = actAfter(deps.clock, { ms: limits.blobs.endMs }, () => patience.abort(outOfPatience()))
      await running
      settled()
    },
  }
}

function outOfPatience(): DrydockError {
  return new DrydockError('blobs_unreachable', 'The process ended before the place of blobs had answered.', {
    todo: 'The next process goes on. See: drydock doctor',
  })
}

interface Deps
  extends Pick<StepDependencies, 'store' | 'clock'>,
    Pick<GateDependencies, 'artifacts' | 'layers' | 'history' | 'workTrees'>,
    Pick<SharingDependencies, 'share' | 'blobs'>,
    Pick<ForeignAgents, 'homes'>,
    Pick<Store, 'transact'> {}

interface CollectOptions extends Deps {
  /** Ends only the wait for the remote storage. */
  readonly patience?: AbortSignal
}

/**
 * Removes what retention no longer keeps; after a crash a second call continues the removal. The
 * files that a running Run uses are never touched: its layers, and everything used or started since
 * `unusedSince`, for example the caches and trials of a base without a stored verification.
 */
export async function collectGarbage(
  deps: CollectOptions,
  unusedSince: Date,
  signal: AbortSignal,
): Promise<GarbageCount> {
  // This order makes sure that the store knows all work that starts in the meantime.
  const elsewhere = await lookElsewhere(deps, signal)
  const there = await deps.artifacts.runs()
  const verifications = await deps.store.machines({ kind: 'verification' })
  const runs = await deps.store.machines({ kind: 'run' })
  const staying = kept({ verifications, runs, now: deps.clock.now() })
  const known = new Set(verifications.map(({ data }) => data.runId))
  const isOver = (runId: string) => known.has(runId) || !isGivenSince(runId, unusedSince)
  const gone = there.filter((runId) => !staying.has(runId) && isOver(runId))
  for (const runId of gone) {
    signal.throwIfAborted()
    await deps.artifacts.removeRun(runId)
  }
  const ended = new Set(runs.flatMap(({ id, state }) => (isEnded(state) ? [id] : [])))
  for (const run of await deps.artifacts.outputRuns()) if (ended.has(run)) await deps.artifacts.removeOutputs(run)
  await removeHomes(deps, ended)
  // A worker's hidden refs are copies of the hub's refs, and only the hub knows which ones stay.
  const refs = keepsState(deps.share) ? await forgetWork(deps, signal) : []
  const keep = await layersInUse(deps, verifications)
  signal.throwIfAborted()
  const { store, artifacts, transact } = deps
  const blobs = (await elsewhere?.({ store, artifacts, transact, verifications, staying })) ?? null
  return {
    verifications: gone,
    refs,
    blobs,
    cacheBytes: await deps.artifacts.trimCache({ maxBytes: limits.cacheBytes, keep, unusedSince }),
  }
}

/** Collects remote blobs; null without remote storage. */
async function lookElsewhere({ blobs, patience, share, store, transact, clock }: CollectOptions, signal: AbortSignal) {
  if (blobs === null) return null
  const now = clock.now()
  if (keepsState(share)) await (await import('../stored/collect-layers.ts')).forgetLayers({ store, transact, now })
  const look = (await import('../stored/collect-stored.ts')).lookForBlobs
  return look(blobs, patience === undefined ? signal : AbortSignal.any([signal, patience]))
}

/** Removes the home folders of foreign agents whose conversation has ended. */
async function removeHomes({ homes, store }: Deps, ended: ReadonlySet<string>): Promise<void> {
  for (const id of await homes.lanes()) {
    const lane = await store.machineOf('lane', id)
    const story = lane === null ? null : await storyOf(store, lane)
    const isOver = lane === null || ended.has(lane.run) || (lane.state === 'ENDED' && story?.data.lane !== id)
    if (isOver) await homes.remove(id)
  }
}

/**
 * Removes the snapshots and commits of ended stories that retention no longer keeps. Refs of
 * unknown stories stay.
 */
async function forgetWork({ store, history, workTrees, clock }: Deps, signal: AbortSignal): Promise<readonly string[]> {
  const refs: string[] = []
  const setAside: string[] = []
  const now = clock.now()
  for (const [id, own] of Map.groupBy(await history.hidden('refs/drydock/'), ({ ref }) => storyOfRef(ref))) {
    if (id === null || (await store.machine(id))?.kind !== 'story') continue
    const story = await load(store, 'story', id)
    const standing = standingOf(await load(store, 'run', story.run), story)
    const gone = refsToForget(own, { story: id, standing, now })
    refs.push(...gone)
    if (gone.length > 0 && standing === 'landed') setAside.push(snapshotRefs(id))
  }
  signal.throwIfAborted()
  if (refs.length === 0) return refs
  // Removed first, since only the refs lead to it: after a crash without them nobody would find it.
  await workTrees.forgetSetAside(setAside)
  await history.forget(refs, signal)
  return refs
}

/** The dependency layers of running Runs, at their base and at the commits that they verify. */
async function layersInUse(
  { store, layers }: Deps,
  verifications: readonly Verification[],
): Promise<ReadonlySet<string>> {
  const keys = new Set<string>()
  for (const run of await store.machines({ kind: 'run' })) {
    if (isEnded(run.state)) continue
    const commits = verifications.flatMap((verification) =>
      verification.run === run.id && verification.data.commit !== null ? [verification.data.commit] : [],
    )
    for (const name of [undefined, ...(run.data.repositories ?? []).map((each) => each.name)]) {
      const { config, base } = runIn(run, name).data
      if (config === null || base === null) continue
      // The commit's repository does not matter here: one without the inputs has no layers.
      for (const commit of new Set([base, ...commits])) {
        for (const { key } of await layers.existing({ config, commit, base })) keys.add(key)
      }
    }
  }
  return keys
}
