import { createHash } from 'node:crypto'
import type { RunnerReply } from '../../../ports/sandbox.ts'
import type { GitObject } from '../objects/read-objects.ts'
import { refused } from './refused.ts'
import { entryAt, followLinks, pathInTree, type Tree } from './tree-path.ts'

/**
 * The file at `path` of the commit, with its bytes as stored; the reply's path has all links
 * resolved.
 */
export async function readCommitted(tree: Tree, path: string, maxBytes: number): Promise<RunnerReply<'read'>> {
  const inside = pathInTree(path)
  if (!inside.ok) return inside
  const [entry, guessed] = await Promise.all([entryAt(tree, inside.path), readObject(tree, inside.path, maxBytes)])
  if (entry !== null && isFile(entry)) return reply(inside.path, guessed, maxBytes)
  const led = await followLinks(tree, inside.path)
  if (!led.ok) return led
  if (!isFile(led.entry)) return refused('not_a_file', `${path} is not a regular file`)
  return reply(led.path, await readObject(tree, led.path, maxBytes), maxBytes)
}

function isFile(entry: string): boolean {
  return entry.startsWith('100')
}

function readObject({ objects, sha, signal }: Tree, path: string, maxBytes: number): Promise<GitObject | null> {
  return objects(`${sha}:${path}`, { maxBytes, signal })
}

function reply(path: string, object: GitObject | null, maxBytes: number): RunnerReply<'read'> {
  if (object?.type !== 'blob') throw new Error(`git cannot read ${JSON.stringify(path)}, which it lists`)
  const { content, size } = object
  if (content === null) return refused('too_large', `${path} has ${size} bytes; at most ${maxBytes} are read`)
  const sha256 = createHash('sha256').update(content).digest('hex')
  return { ok: true, value: { base64: content.toString('base64'), size, sha256, path } }
}
