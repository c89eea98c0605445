import { DrydockError } from '../../domain/drydock-error.ts'
import type { Verification } from '../../domain/verification/verification.ts'
import type { KeptBlobs } from '../../ports/blobs.ts'
import type { Store } from '../../ports/store.ts'

/** What was removed of what is kept beside this machine, or why it could not be. */
export interface CollectedBlobs {
  /** Verifications whose blobs are gone. */
  readonly verifications: readonly string[]
  readonly problem: string | null
}

interface Staying extends Pick<Store, 'transact'> {
  /** Of this state, as they are stored. */
  readonly verifications: readonly Verification[]
  /** Those whose files stay. */
  readonly staying: ReadonlySet<string>
}

/**
 * Looks which verifications have blobs, and returns what removes those that no longer stay. Look
 * before the verifications are read: what has begun since is then among them.
 */
export async function lookForBlobs(
  { store, standing }: KeptBlobs,
  signal: AbortSignal,
): Promise<(staying: Staying) => Promise<CollectedBlobs>> {
  const space = (await standing.read())?.space
  if (space === undefined) return async () => ({ verifications: [], problem: null })
  const listed = await orProblem(() => store.folders(space, signal))
  return async (given) => {
    if ('problem' in listed) return { verifications: [], problem: listed.problem }
    const removed: string[] = []
    const ended = await orProblem(() => removeBlobs({ ...given, store, space, listed, removed }, signal))
    return { verifications: removed, problem: ended === null ? null : ended.problem }
  }
}

interface Removing extends Staying {
  readonly store: KeptBlobs['store']
  readonly space: string
  readonly listed: readonly string[]
  readonly removed: string[]
}

/**
 * Also what a process had put when it was killed, before its row was written. Blobs of another
 * space, as of the state that this one is a copy of, stay: they are the other's. The blobs go
 * before the row: until it says so, they are removed again.
 */
async function removeBlobs(
  { store, space, listed, removed, transact, verifications, staying }: Removing,
  signal: AbortSignal,
): Promise<null> {
  const known = new Map(verifications.map((verification) => [verification.data.runId, verification]))
  const ofRows = verifications.flatMap(({ data }) => (data.stored?.space === space ? [data.runId] : []))
  for (const runId of new Set([...listed, ...ofRows])) {
    if (staying.has(runId)) continue
    await store.remove({ space, name: runId }, signal)
    const verification = known.get(runId)
    if (verification?.data.stored)
      await transact(async (tx) => {
        await tx.edit(verification, { stored: null })
      })
    removed.push(runId)
  }
  return null
}

/** A place that is out keeps nothing else from being collected. */
async function orProblem<T>(work: () => Promise<T>): Promise<T | { readonly problem: string }> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof DrydockError) return { problem: error.message }
    throw error
  }
}
