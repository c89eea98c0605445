import { posix } from 'node:path'
import { done, refuse, type ToolOutcome } from '../../agents/tools/tool.ts'
import { limits } from '../../domain/limits.ts'
import type { Story } from '../../domain/story/story.ts'
import { insideRepository } from '../../gate/inside.ts'
import type { MirrorReads } from '../../ports/history.ts'
import type { Records } from '../../ports/store.ts'

interface StoryDiff {
  readonly story: Story
  readonly path?: string | undefined
  /** An earlier commit to compare with; omitted for the story's base. */
  readonly base?: string | undefined
  readonly to: string
  /** The commits of requests about the story. */
  readonly requested?: readonly string[]
}

/** A story's change for `get_diff`, always between two commits of the mirror, never a work tree. */
export async function storyDiff(
  { history }: { readonly history: Pick<MirrorReads, 'diff' | 'isAncestor'> },
  { story, path, base, to, requested = [] }: StoryDiff,
): Promise<ToolOutcome> {
  const from = base === undefined ? story.data.base : await earlierCommit(history, { story, base, to, requested })
  if (from === null) return refuse(`${base} is not an earlier commit of this work`)
  const inside = path === undefined ? undefined : relativeToRepository(path)
  if (inside === null) return refuse(`${path} leads out of the repository`)
  const diff = await history.diff({
    from,
    to,
    maxBytes: limits.toolResultChars - limits.toolResultFrame,
    ...(inside !== undefined && { path: inside }),
  })
  const text = diff.text === '' ? '(no change)' : diff.text
  return done(`base ${from}\nsnapshot ${to}\ntruncated ${diff.truncated}\n${text}`)
}

/**
 * A commit of the story that was verified, reviewed or snapshotted before, by its prefix; or an
 * ancestor of the shown commit.
 */
async function earlierCommit(
  history: Pick<MirrorReads, 'isAncestor'>,
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
  return /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(base) && (await history.isAncestor(base, to)) ? base : null
}

/**
 * Agents see the workspace at the path of the repository in every sandbox, as `pwd` shows it. Null
 * for a path outside.
 */
function relativeToRepository(path: string): string | null {
  const relative = posix.normalize(
    path.startsWith(`${insideRepository}/`) ? path.slice(insideRepository.length + 1) : path,
  )
  return relative.startsWith('/') || relative === '..' || relative.startsWith('../') ? null : relative
}

/** The commits of all earlier requests to the architect. */
export async function requestedCommits(records: Records, { run, story }: Story): Promise<readonly string[]> {
  const requests = await records.machines({ kind: 'request', run })
  return requests.filter((request) => request.story === story).map(({ data }) => data.sha)
}
