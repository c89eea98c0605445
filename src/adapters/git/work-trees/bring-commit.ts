import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { filledLines } from '../../../domain/text.ts'
import type { GitOptions } from '../git.ts'
import type { HostParts } from '../git-parts.ts'
import { copyCommits } from '../history/copy-history.ts'
import { fetchCommit } from '../history/fetch-commit.ts'
import { commitsSince, isNearAncestor } from '../history/near-ancestor.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { readRef } from '../objects/read-ref.ts'
import { unlessMissing } from '../unless-missing.ts'
import { sharedRef } from './share-history.ts'

type Parts = Pick<HostParts, 'layout' | 'git' | 'objects' | 'mirror'>

interface Bringing {
  /** The git directory of a checkout. */
  readonly gitDir: string
  readonly sha: string
}

/** With more tags than this, git itself finds those in the history. */
const mostTags = 2_000

/**
 * Brings a commit of the mirror into a checkout, with its history and the tags in it. Usually only
 * one commit is missing.
 */
export async function bringCommit(
  { layout, git, objects, mirror }: Parts,
  { gitDir, sha }: Bringing,
  options: Pick<GitOptions, 'signal' | 'spawned'>,
): Promise<void> {
  const tags = await mirror.tags(options)
  const hash = createHash('sha256').update(tags).digest('hex')
  const mark = join(gitDir, 'drydock-tags')
  const isFetched = tags === '' || (await unlessMissing(readFile(mark, 'utf8'))) === hash
  const from = { objects, mirror: layout.mirror, gitDir, signal: options.signal }
  if (isFetched && (await isCopied(from, { sha, tags }))) return
  await fetchCommit(git, { mirror: layout.mirror, sha }, { gitDir, ref: 'refs/drydock/commit', options })
  await writeFile(mark, hash)
}

/** True if the commit is available without a fetch. */
async function isCopied(
  from: Parameters<typeof copyCommits>[0],
  { sha, tags }: { readonly sha: string; readonly tags: string },
): Promise<boolean> {
  const { objects, gitDir } = from
  const known = await wholeCommits(gitDir)
  for (const each of known) if (await isNearAncestor(objects, [sha, each])) return true
  const fresh = await commitsSince(objects, { of: sha, known })
  const tagged = fresh && (await taggedCommits(objects, tags))
  if (!tagged || fresh.some((commit) => tagged.has(commit))) return false
  return copyCommits(from, fresh)
}

/** The commits that certainly exist there with all that they need. */
async function wholeCommits(gitDir: string): Promise<ReadonlySet<string>> {
  const found = await Promise.all(['HEAD', sharedRef].map((ref) => readRef(gitDir, ref)))
  return new Set(found.filter((sha) => sha !== null))
}

/** The commits of tags; null if there are many. */
async function taggedCommits(objects: ReadObject, tags: string): Promise<ReadonlySet<string> | null> {
  const lines = filledLines(tags)
  if (lines.length > mostTags) return null
  const peeled = lines.map((line) => objects(`${line.slice(0, line.indexOf(' '))}^{commit}`, { maxBytes: 0 }))
  return new Set((await Promise.all(peeled)).flatMap((commit) => commit?.id ?? []))
}
