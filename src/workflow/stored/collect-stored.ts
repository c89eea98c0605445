import { DrydockError } from '../../domain/drydock-error.ts'
import { layerOfFolder } from '../../domain/layer/shared-layer.ts'
import type { Verification } from '../../domain/verification/verification.ts'
import type { Artifacts } from '../../ports/artifacts.ts'
import type { KeptBlobs } from '../../ports/blobs.ts'
import type { Records, Store } from '../../ports/store.ts'
import { removeLayerBlobs } from './collect-layers.ts'

/** The removed remote blobs, or the reason why removal failed. */
export interface CollectedBlobs {
  /** Verifications whose blobs were removed. */
  readonly verifications: readonly string[]
  /** Dependency layers whose blobs were removed. */
  readonly layers: readonly string[]
  readonly problem: string | null
}

interface Staying extends Pick<Store, 'transact'> {
  readonly store: Pick<Records, 'machineOf'>
  readonly artifacts: Pick<Artifacts, 'alone'>
  /** The stored verifications of this state. */
  readonly verifications: readonly Verification[]
  /** Ids of the verifications whose files stay. */
  readonly staying: ReadonlySet<string>
}

/**
 * Finds the verifications with blobs, and returns a function that removes those that no longer
 * stay. Call it before reading the verifications, so that those include all that started in the
 * meantime.
 */
export async function lookForBlobs(
  { store: blobs, standing }: KeptBlobs,
  signal: AbortSignal,
): Promise<(staying: Staying) => Promise<CollectedBlobs>> {
  const space = (await standing.read())?.space
  if (space === undefined) return async () => ({ verifications: [], layers: [], problem: null })
  const listed = await orProblem(() => blobs.folders(space, signal))
  return async (given) => {
    if ('problem' in listed) return { verifications: [], layers: [], problem: listed.problem }
    const removed: string[] = []
    const removing = { ...given, blobs, space, listed, removed }
    const ended = await orProblem(async () => {
      await removeBlobs(removing, signal)
      return removeLayerBlobs(removing, signal)
    })
    const isDone = !('problem' in ended)
    return { verifications: removed, layers: isDone ? ended : [], problem: isDone ? null : ended.problem }
  }
}

interface Removing extends Staying {
  readonly blobs: KeptBlobs['store']
  readonly space: string
  readonly listed: readonly string[]
  readonly removed: string[]
}

/**
 * Also removes blobs of a process that was killed before it wrote their row. Blobs of another
 * space, for example of the state that this one was copied from, belong to that state and stay. The
 * blobs go before the row: until it records that, their removal is repeated.
 */
async function removeBlobs(
  { blobs, space, listed, removed, transact, verifications, staying }: Removing,
  signal: AbortSignal,
): Promise<void> {
  const known = new Map(verifications.map((verification) => [verification.data.runId, verification]))
  const ofRows = verifications.flatMap(({ data }) => (data.stored?.space === space ? [data.runId] : []))
  const folders = listed.filter((name) => layerOfFolder(name) === null)
  for (const runId of new Set([...folders, ...ofRows])) {
    if (staying.has(runId)) continue
    await blobs.remove({ space, name: runId }, signal)
    const verification = known.get(runId)
    if (verification?.data.stored)
      await transact(async (tx) => {
        await tx.edit(verification, { stored: null })
      })
    removed.push(runId)
  }
}

/** An unreachable storage must not stop the rest of the collection. */
async function orProblem<T>(work: () => Promise<T>): Promise<T | { readonly problem: string }> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof DrydockError) return { problem: error.message }
    throw error
  }
}
