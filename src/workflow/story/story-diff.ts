import { posix } from 'node:path'
import { done, refuse, type ToolOutcome } from '../../agents/tools/tool.ts'
import { limits } from '../../domain/limits.ts'
import type { Story } from '../../domain/story/story.ts'
import { insideRepository } from '../../gate/inside.ts'
import type { MirrorReads } from '../../ports/history.ts'
import type { Records } from '../../ports/store.ts'
import { list } from '../machines.ts'

interface StoryDiff {
  readonly story: Story
  readonly path?: string | undefined
  /** An earlier commit to compare with; the story's base when it is left out. */
  readonly base?: string | undefined
  /** The commit that is shown. */
  readonly to: string
  /** The commits that requests about the story spoke of. */
  readonly requested?: readonly string[]
}

/**
 * A story's change as `get_diff` answers it: two commits of the mirror, named, never a work tree.
 */
export async function storyDiff(
  { workspaces }: { readonly workspaces: Pick<MirrorReads, 'diff' | 'isAncestor'> },
  { story, path, base, to, requested = [] }: StoryDiff,
): Promise<ToolOutcome> {
  const from = base === undefined ? story.data.base : await earlierCommit(workspaces, { story, base, to, requested })
  if (from === null) return refuse(`${base} is not an earlier commit of this work`)
  const inside = path === undefined ? undefined : relativeToRepository(path)
  if (inside === null) return refuse(`${path} leads out of the repository`)
  const diff = await workspaces.diff({
    ...{ from, to, maxBytes: limits.toolResultChars - limits.toolResultFrame },
    ...(inside !== undefined && { path: inside }),
  })
  const text = diff.text === '' ? '(no change)' : diff.text
  return done(`base ${from}\nsnapshot ${to}\ntruncated ${diff.truncated}\n${text}`)
}

/**
 * What was verified, reviewed or snapshotted of the story before, by the start of its name; or an
 * ancestor of what is shown.
 */
async function earlierCommit(
  workspaces: Pick<MirrorReads, 'isAncestor'>,
  {
    story: { data },
    base,
    to,
    requested,
  }: Pick<StoryDiff, 'story' | 'to'> & Required<Pick<StoryDiff, 'requested'>> & { readonly base: string },
): Promise<string | null> {
  const reviewed = Object.values(data.reviews).flatMap(({ sha }) => sha ?? [])
  const attempted = data.attempts.map(({ sha }) => sha)
  const commits = [data.base, ...attempted, ...reviewed, ...requested, data.snapshot?.sha ?? to]
  const own = commits.find((sha) => sha.startsWith(base))
  if (own !== undefined) return own
  return /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(base) && (await workspaces.isAncestor(base, to)) ? base : null
}

/**
 * Agents see the workspace where every sandbox shows the repository, as `pwd` says it. Null for
 * what is not in it.
 */
function relativeToRepository(path: string): string | null {
  const relative = posix.normalize(
    path.startsWith(`${insideRepository}/`) ? path.slice(insideRepository.length + 1) : path,
  )
  return relative.startsWith('/') || relative === '..' || relative.startsWith('../') ? null : relative
}

/** The commits that the architect was asked about so far. */
export async function requestedCommits(records: Records, { run, story }: Story): Promise<readonly string[]> {
  const requests = await list(records, 'request', { run })
  return requests.filter((request) => request.story === story).map(({ data }) => data.sha)
}
