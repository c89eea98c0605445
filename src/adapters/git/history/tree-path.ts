import { posix } from 'node:path'
import { failed, type Git } from '../git.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { contents } from './contents.ts'
import { type ReadRefusal, refused } from './refused.ts'
import { remembered } from './remembered.ts'

/** The repository that trees are read from. */
export interface Reads {
  readonly git: Git
  /** The git directory of the repository. */
  readonly mirror: string
  readonly objects: ReadObject
}

/** A tree of the mirror, with the signal that aborts reads of it. */
export interface Tree extends Reads {
  readonly sha: string
  readonly signal: AbortSignal
}

/** A normalized path and git's entry there: mode, type and object. */
export type TreeEntry = { readonly ok: true; readonly path: string; readonly entry: string } | ReadRefusal

const mostPathChars = 4_096
const mostSteps = 200

/** The normalized path, or the reason why it cannot be read. */
export function pathInTree(path: string): { readonly ok: true; readonly path: string } | ReadRefusal {
  if (path.length > mostPathChars || path.includes('\0')) return notFound()
  const plain = posix.normalize(path).replace(/\/+$/, '')
  if (path.startsWith('/') || plain === '..' || plain.startsWith('../')) return outside()
  if (isGitFolder(plain)) return refused('outside', '.git is not part of the commit and cannot be reached')
  if (plain === '' || plain === '.') return refused('not_a_file', 'This is the repository itself')
  return { ok: true, path: plain }
}

/** Throws DrydockError `git_failed` for a path that no tree can contain. */
export function mustBeInTree(path: string): void {
  const found = pathInTree(path)
  if (!found.ok || found.path !== path) throw failed(['update-index'], `invalid path ${JSON.stringify(path)}`)
}

export function isGitFolder(path: string): boolean {
  return path.split('/').some((name) => name.toLowerCase() === '.git')
}

/** Resolves the links along a path. Git's own resolution does not know `.` in a link. */
export async function followLinks(tree: Tree, path: string): Promise<TreeEntry> {
  const todo = path.split('/').reverse()
  const done: string[] = []
  // Cached, since links may lead along the same path repeatedly.
  const entries = remembered<string | null>()
  const targets = remembered<string>()
  let entry = '040000 tree'
  for (let steps = 0; steps < mostSteps; steps += 1) {
    const name = todo.pop()
    if (name === undefined) return { ok: true, path: done.join('/'), entry }
    if (name === '' || name === '.') continue
    if (name === '..') {
      if (done.pop() === undefined) return outside()
      entry = '040000 tree'
      continue
    }
    const here = [...done, name].join('/')
    if (isGitFolder(here)) return outside()
    const found = await entries.of(here, () => entryAt(tree, here))
    if (found === null) return notFound()
    if (!found.startsWith('120000 ')) {
      done.push(name)
      entry = found
      continue
    }
    const target = await targets.of(found, () => linkTarget(tree, found))
    if (target.startsWith('/')) return outside()
    todo.push(...target.split('/').reverse())
  }
  return notFound()
}

/** Git's entry at a normalized path; null if there is none. Links are not followed. */
export async function entryAt({ objects, sha, signal }: Tree, path: string): Promise<string | null> {
  return (await contents(objects, { sha, paths: [path], signal }))[path] ?? null
}

/** The target of a link; one that is too long counts as outside the repository. */
async function linkTarget({ objects, signal }: Tree, entry: string): Promise<string> {
  const target = await objects(entry.split(' ')[2] ?? '', { maxBytes: mostPathChars, signal })
  return target?.content?.toString('utf8') ?? '/'
}

function notFound(): ReadRefusal {
  return refused('not_found', 'There is no such file')
}

function outside(): ReadRefusal {
  return refused('outside', 'The path leads out of the repository')
}
