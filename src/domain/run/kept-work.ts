import { limits } from '../limits.ts'
import type { Story } from '../story/story.ts'
import { isLanded, landsTogether } from './repositories.ts'
import { isUnresolved } from './retention.ts'
import { isEnded, type Run } from './run.ts'

/** The folder of hidden refs of a story's snapshots, numbered from 1. */
export function snapshotRefs(story: string): string {
  return `refs/drydock/snapshots/${story}/`
}

/**
 * The folder of hidden refs of commits that verifications of a story judged, each named by its
 * verification.
 */
export function candidateRefs(story: string): string {
  return `refs/drydock/candidates/${story}/`
}

/** The folder of hidden refs of looks at a story's workspace, while its editor works. */
export function lookRefs(story: string): string {
  return `refs/drydock/looks/${story}/`
}

/**
 * The story of a hidden ref, by its machine's id; null for any other ref. `looks` keep a workspace
 * as the dashboard showed it, or as a worker reported it to its hub.
 */
export function storyOfRef(ref: string): string | null {
  return /^refs\/drydock\/(?:snapshots|candidates|merges|looks)\/(.+)\/[^/]+$/.exec(ref)?.[1] ?? null
}

/**
 * The number of a snapshot. A suffix after a hyphen distinguishes it from one of a worker that was
 * given up.
 */
export function numberOfRef(ref: string): number {
  return Number.parseInt(ref.slice(ref.lastIndexOf('/') + 1), 10)
}

/**
 * The reason to keep a story's snapshots. `open`: the story may continue. `landed`: its change is
 * on a branch. `given_up`: nothing else is left of it.
 */
export type Standing = 'open' | 'landed' | 'given_up'

export function standingOf(run: Run, story: Story): Standing {
  if (!isEnded(run.state) || isUnresolved(run)) return 'open'
  // A change that was only shown, or left uncommitted in the user's tree, is not on any branch.
  const isThere = landsTogether(run)
    ? isLanded(run, story)
    : run.data.policy.result === 'merged' || run.data.branch !== null
  const landed = story.state === 'DONE' && isThere
  // Nothing else holds the change: a retry of its Run can still land it.
  if (story.state === 'DONE' && !landed && landsTogether(run)) return 'open'
  return landed ? 'landed' : 'given_up'
}

interface KeptRef {
  readonly ref: string
  readonly sha: string
  /** An ISO 8601 time. */
  readonly at: string
}

/**
 * The refs of one story that retention no longer keeps, out of all present ones. All stay while the
 * story is open, and until its newest ref is 14 days old; then none of a landed story, and only the
 * last snapshot of one that was given up.
 */
export function refsToForget(
  refs: readonly KeptRef[],
  { story, standing, now }: { readonly story: string; readonly standing: Standing; readonly now: Date },
): readonly string[] {
  const oldest = new Date(now.getTime() - limits.artifactDays * 86_400_000).toISOString()
  if (standing === 'open' || refs.some(({ at }) => at >= oldest)) return []
  const all = refs.map((each) => each.ref)
  if (standing === 'landed') return all
  const snapshots = refs
    .filter(({ ref }) => ref.startsWith(snapshotRefs(story)))
    .toSorted((a, b) => numberOfRef(a.ref) - numberOfRef(b.ref))
  // An unchanged snapshot that was stored again is known by its first number.
  const last = snapshots.find(({ sha }) => sha === snapshots.at(-1)?.sha)
  // Without a snapshot, a verified commit is all that is left of the story.
  if (last === undefined) return []
  return all.filter((ref) => ref !== last.ref)
}
