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
  /** For people: what it was made for. */
  readonly why: string
  /** The workspace is about to be reset. */
  readonly setAside?: boolean
  /** Where it is kept instead of as the story's next snapshot: only its tree is wanted. */
  readonly ref?: string
}

/** Keeps the story's workspace on a hidden ref; an unchanged one keeps the snapshot that it has. */
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

/** Its workspace was given up, or lies on another host, and is as it was kept then. */
function withoutWorkspace({ id, data: { snapshot, snapshots } }: Story): StorySnapshot {
  if (snapshot === null) return { ok: false, reason: `${id} has no workspace` }
  return { ok: true, snapshot, data: { snapshot, snapshots } }
}

/** The commit that keeps the story's change so far; null when its files are those of its base. */
export async function keptCommit(
  { history }: Pick<WorkflowDependencies, 'history'>,
  { base, snapshot }: Pick<StoryData, 'base' | 'snapshot'>,
): Promise<string | null> {
  if (snapshot === null || snapshot.tree === (await history.tree(base))) return null
  return snapshot.sha
}

/** Whether its change is kept; nothing is said of a workspace that could not be snapshotted. */
export function keptFact(commit: string | null, isWhole: boolean): Pick<StoryData, 'kept'> {
  return commit !== null || isWhole ? { kept: commit !== null } : {}
}

/**
 * The story's change so far as a diff from its base, for a prompt; what was not snapshotted last is
 * not in it.
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
