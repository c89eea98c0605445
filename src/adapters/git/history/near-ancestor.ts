import { readCommit } from '../objects/commits.ts'
import type { ReadObject } from '../objects/read-objects.ts'

/** Beyond this many commits git is asked instead. */
const mostCommits = 32

/**
 * The commits from `of` back to `known` and its ancestors, newest first and without these; null if
 * there are many, or if some of the history is not in that of `known`.
 */
export async function commitsSince(
  objects: ReadObject,
  { of, known }: { readonly of: string; readonly known: ReadonlySet<string> },
): Promise<readonly string[] | null> {
  const found = new Set<string>()
  const todo = [of]
  for (let sha = todo.shift(); sha !== undefined; sha = todo.shift()) {
    if (known.has(sha) || found.has(sha)) continue
    const commit = found.size < mostCommits ? await readCommit(objects, sha) : null
    if (commit === null || commit.parents.length === 0) return null
    found.add(sha)
    todo.push(...commit.parents)
  }
  return [...found]
}

/**
 * True if a commit is a few steps back from another, or equal to it. False if the search found
 * nothing within its limit.
 */
export async function isNearAncestor(objects: ReadObject, [ancestor, of]: readonly [string, string]): Promise<boolean> {
  const seen = new Set<string>()
  const todo = [of]
  for (let sha = todo.shift(); sha !== undefined && seen.size < mostCommits; sha = todo.shift()) {
    const commit = seen.has(sha) ? null : await readCommit(objects, sha)
    if (commit?.sha === ancestor) return true
    seen.add(sha)
    todo.push(...(commit?.parents ?? []))
  }
  return false
}
