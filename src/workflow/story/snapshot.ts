import { limits } from '../../domain/limits.ts'
import { snapshotRefs } from '../../domain/run/kept-work.ts'
import type { Story, StoryData } from '../../domain/story/story.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import type { WorkspaceDependencies } from './dependencies.ts'
import { isElsewhere } from './workspace.ts'

export type StorySnapshot =
  | {
      readonly ok: true
      readonly snapshot: NonNullable<StoryData['snapshot']>
      readonly data: Pick<StoryData, 'snapshot' | 'snapshots'>
    }
  | { readonly ok: false; readonly reason: string }

export interface Keeping {
  /** The purpose of the snapshot, for people. */
  readonly why: string
  /** True if the workspace will be reset next. */
  readonly setAside?: boolean
  /**
   * The ref for the snapshot, if only its tree is needed; otherwise it becomes the story's next
   * snapshot.
   */
  readonly ref?: string
}

/** Saves the story's workspace on a hidden ref; an unchanged one keeps its present snapshot. */
export async function snapshotStory(
  deps: WorkspaceDependencies,
  story: Story,
  signal: AbortSignal,
  { why, setAside = false, ref }: Keeping,
): Promise<StorySnapshot> {
  const { slot, base, snapshots, snapshot: last, merging } = story.data
  if (slot === null || (await isElsewhere(deps, slot))) return withoutWorkspace(story)
  await deps.sandboxes.closeUsed(deps.workTrees.path(slot))
  const result = await deps.workTrees.snapshot(
    {
      slot,
      parents: merging === null ? [base] : [base, merging.candidate],
      ref: ref ?? `${snapshotRefs(story.id)}${snapshots + 1}`,
      last: last?.sha ?? null,
      message: snapshotMessage(story, snapshots + 1, why),
      at: deps.clock.now(),
      setAside,
    },
    signal,
  )
  if (!result.ok) return result
  const { snapshot } = result
  const fresh = snapshot.sha !== last?.sha
  return { ok: true, snapshot, data: { snapshot, snapshots: fresh ? snapshots + 1 : snapshots } }
}

export function snapshotMessage({ id }: Pick<Story, 'id'>, n: number, why: string): string {
  return `Snapshot ${n} of ${id}: ${why}\n`
}

/** The workspace was given up or lies on another host, so its last snapshot is current. */
function withoutWorkspace({ id, data: { snapshot, snapshots } }: Story): StorySnapshot {
  if (snapshot === null) return { ok: false, reason: `${id} has no workspace` }
  return { ok: true, snapshot, data: { snapshot, snapshots } }
}

/** The commit with the story's change so far; null if its files equal its base. */
export async function keptCommit(
  { history }: Pick<WorkflowDependencies, 'history'>,
  { base, snapshot }: Pick<StoryData, 'base' | 'snapshot'>,
): Promise<string | null> {
  if (snapshot === null || snapshot.tree === (await history.tree(base))) return null
  return snapshot.sha
}

/** True if the change is saved; omitted if the workspace could not be snapshotted. */
export function keptFact(commit: string | null, isWhole: boolean): Pick<StoryData, 'kept'> {
  return commit !== null || isWhole ? { kept: commit !== null } : {}
}

/**
 * The story's change so far as a diff from its base, for a prompt. Edits since the last snapshot
 * are missing.
 */
export async function snapshotDiff(deps: Pick<WorkflowDependencies, 'history'>, data: StoryData): Promise<string> {
  if (data.snapshot === null) return ''
  const { text, truncated } = await deps.history.diff({
    from: data.base,
    to: data.snapshot.sha,
    maxBytes: limits.promptDiffBytes,
  })
  return truncated ? `${text}\n… the diff continues …` : text
}
