import type { Machine, MachineTable } from '../machine.ts'

/**
 * QUEUED: approved and waiting for earlier merges. MERGING: the change is being merged and
 * verified, one at a time. RETURNED: a conflict or a red result sent the story back.
 */
export const mergeStates = ['QUEUED', 'MERGING', 'MERGED', 'RETURNED', 'CANCELLED'] as const

export type MergeState = (typeof mergeStates)[number]

export const mergeEvents = ['started', 'committed', 'requeued', 'merged', 'returned', 'cancelled'] as const

export type MergeEvent = (typeof mergeEvents)[number]

/** The merge machine as data. The whole state does one merge at a time. */
export const mergeTable: MachineTable<MergeState, MergeEvent> = {
  QUEUED: { started: 'MERGING', cancelled: 'CANCELLED' },
  MERGING: {
    /** The commit is made, and its verification decides. */
    committed: 'MERGING',
    requeued: 'QUEUED',
    merged: 'MERGED',
    returned: 'RETURNED',
    cancelled: 'CANCELLED',
  },
  MERGED: {},
  RETURNED: {},
  CANCELLED: {},
}

export interface MergeData {
  /** Name of the story in lanes. */
  readonly name: string
  /** The approved commit. */
  readonly candidate: string
  /** The approver, as the commit names it. */
  readonly reviewer: string
  /**
   * Pinned when the merge starts, so that a restart makes the same commit: the tip below it, the
   * verification's id, and the date of the commit.
   */
  readonly attempt: { readonly tip: string; readonly runId: string; readonly at: string } | null
  /** The merged commit, once it is made. */
  readonly commit: string | null
  /**
   * The merged commit that was green, and its verification, while the commit with its acceptance
   * tests is verified; left out where none are added.
   */
  readonly plain?: { readonly commit: string; readonly runId: string } | null
  /**
   * Path of the receipt below ARTIFACT_DIR; left out before the merge, and by a Drydock that made
   * none.
   */
  readonly receipt?: string
}

export type Merge = Machine<MergeState, MergeData, 'merge'>

interface Waiting {
  readonly name: string
}

/**
 * The next merge: the first in order of approval, or in the order of a recording; null while that
 * one is not ready.
 */
export function nextMerge<M extends Waiting>(
  queue: readonly M[],
  { order, settled }: { readonly order: readonly string[]; readonly settled: ReadonlySet<string> },
): M | null {
  const wanted = order.find((name) => !settled.has(name))
  if (wanted === undefined) return queue[0] ?? null
  return queue.find(({ name }) => name === wanted) ?? null
}
