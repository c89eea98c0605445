import { lookRef, snapshotRefs } from '../../domain/run/kept-work.ts'
import type { Story } from '../../domain/story/story.ts'
import type { History, Snapshot } from '../../ports/history.ts'
import type { SnapshotResult, WorkTrees } from '../../ports/work-trees.ts'

interface Looking {
  readonly at: Date
  readonly signal: AbortSignal
}

/**
 * Keeps a story's workspace as it is now in a commit beside its snapshots, in the place of the last
 * look. Agents may work there meanwhile. Null without a workspace.
 */
export async function keepLook(
  workTrees: Pick<WorkTrees, 'snapshot'>,
  { id, data }: Story,
  { at, signal }: Looking,
): Promise<SnapshotResult | null> {
  const { slot, base, snapshot: last, merging, lane } = data
  if (slot === null) return null
  const parents = merging === null ? [base] : [base, merging.candidate]
  const message = `${subjectOf(id, lane)}\n`
  return workTrees.snapshot({ slot, parents, ref: lookRef(id), last: last?.sha ?? null, message, at }, signal)
}

/**
 * The files of the last look, if they are newer than the last snapshot of a story whose workspace
 * is gone: what its present lane had done by then.
 */
export async function newerLook(
  { history }: { readonly history: Pick<History, 'hidden' | 'isAncestor'> },
  { id, data: { base, lane, snapshot } }: Story,
): Promise<Snapshot | null> {
  const [look] = await history.hidden(lookRef(id).replace(/now$/, ''))
  // One of an earlier lane is of work that was given up, or of other files.
  if (look === undefined || look.subject !== subjectOf(id, lane) || look.sha === snapshot?.sha) return null
  if (!(await history.isAncestor(base, look.sha))) return null
  const kept = (await history.hidden(snapshotRefs(id))).find(({ sha }) => sha === snapshot?.sha)
  return kept !== undefined && kept.at > look.at ? null : { sha: look.sha, tree: look.tree }
}

function subjectOf(story: string, lane: string | null): string {
  return `A look at ${story} in ${lane ?? 'no lane'}`
}
