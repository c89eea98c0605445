import { failed } from '../git.ts'
import type { ReadObject } from './read-objects.ts'

/** The objects that a commit names. */
export interface CommitNames {
  readonly sha: string
  readonly tree: string
  readonly parents: readonly string[]
}

/** Reads the commit of a name; null if the object is missing or not a commit. */
export async function readCommit(objects: ReadObject, name: string, signal?: AbortSignal): Promise<CommitNames | null> {
  const found = await objects(name, { maxBytes: Number.MAX_SAFE_INTEGER, signal })
  if (found?.type !== 'commit' || found.content === null) return null
  const lines = found.content.toString('latin1', 0, found.content.indexOf('\n\n')).split('\n')
  const named = (word: string) => lines.flatMap((line) => (line.startsWith(`${word} `) ? line.split(' ')[1] : []))
  return { sha: found.id, tree: named('tree')[0] ?? '', parents: named('parent') as string[] }
}

interface NewCommit {
  readonly tree: string
  readonly parents: readonly string[]
  readonly author: Person
  readonly committer: Person
  readonly message: string
}

interface Person {
  readonly name: string
  readonly email: string
  readonly at: Date
}

/** The content of a commit, in the form of `git commit-tree`. Throws DrydockError `git_failed`. */
export function commitContent({ tree, parents, author, committer, message }: NewCommit): Buffer {
  if (message.includes('\0')) throw failed(['commit-tree'], 'a zero is not allowed in a message')
  const lines = [
    `tree ${tree}`,
    ...[...new Set(parents)].map((parent) => `parent ${parent}`),
    `author ${shown(author)}`,
    `committer ${shown(committer)}`,
  ]
  return Buffer.from(`${lines.join('\n')}\n\n${message}`)
}

function shown({ name, email, at }: Person): string {
  const by = withoutCrud(name)
  if (by === '') throw failed(['commit-tree'], `an empty name is not allowed for <${email}>`)
  return `${by} <${withoutCrud(email)}> ${Math.floor(at.getTime() / 1_000)} +0000`
}

/** Git removes these characters from names: some at both ends, some everywhere. */
function withoutCrud(text: string): string {
  return text
    .replace(/^[\0-\x20.,:;<>"\\']+/, '')
    .replace(/[\0-\x20.,:;<>"\\']+$/, '')
    .replace(/[\n<>]/g, '')
}
