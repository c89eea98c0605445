import { createHash } from 'node:crypto'
import type { RunnerReply } from '../../../ports/sandbox.ts'
import { refused } from './refused.ts'
import { entryAt, followLinks, pathInTree, type Tree } from './tree-path.ts'

/**
 * At least what git says before the content; what a name that is missing makes longer is of no use.
 */
const headerBytes = 200

/**
 * The file at `path` of the commit, its bytes as they are stored; the reply's path is where links
 * on the way have led.
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

/** What git says of the object, and all of it unless it is too large. */
async function readObject({ git, mirror, sha, signal }: Tree, path: string, maxBytes: number): Promise<Buffer> {
  const { stdout } = await git(['cat-file', '--batch', '-z'], {
    gitDir: mirror,
    input: `${sha}:${path}\0`,
    signal,
    maxBytes: maxBytes + headerBytes,
    truncate: true,
  })
  return stdout
}

function reply(path: string, object: Buffer, maxBytes: number): RunnerReply<'read'> {
  const header = /^[0-9a-f]+ blob (\d+)\n/.exec(object.subarray(0, headerBytes).toString('latin1'))
  if (header === null) throw new Error(`git cannot read ${JSON.stringify(path)}, which it lists`)
  const size = Number(header[1])
  if (size > maxBytes) return refused('too_large', `${path} has ${size} bytes; at most ${maxBytes} are read`)
  const content = object.subarray(header[0].length, header[0].length + size)
  const sha256 = createHash('sha256').update(content).digest('hex')
  return { ok: true, value: { base64: content.toString('base64'), size, sha256, path } }
}
