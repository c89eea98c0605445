import { randomUUID } from 'node:crypto'
import { readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { temporaryFolders } from '../../domain/temporary-folders.ts'
import type { Git } from '../git.ts'
import type { Change, LaidFile } from './suite.ts'

export interface Applying {
  /** The tree to change. */
  readonly tree: string
  /** The tree that patches were made for. */
  readonly base: string
  readonly change: Change
}

/**
 * The tree with the change applied. The files in a patch are first reset to the base, so that it
 * applies whatever was done to them. Rejects if it does not apply to the base.
 */
export async function applyChange(git: Git, { tree, base, change }: Applying): Promise<string> {
  const index = join(tmpdir(), `${temporaryFolders.bench}index-${randomUUID()}`)
  const env = { GIT_INDEX_FILE: index }
  const indexed: Git = (args, options = {}) => git(args, { ...options, env: { ...env, ...options.env } })
  try {
    await indexed(['read-tree', tree])
    if (change.kind === 'files') for (const file of change.files) await layFile(indexed, file)
    else {
      await takeBack(indexed, base, await pathsOf(git, change.text))
      await indexed(['apply', '--cached', '--whitespace=nowarn', '-'], { input: change.text })
    }
    return await indexed(['write-tree'])
  } finally {
    await rm(index, { force: true })
  }
}

async function layFile(git: Git, { at, from }: LaidFile): Promise<void> {
  const [bytes, { mode }] = await Promise.all([readFile(from), stat(from)])
  const blob = await git(['hash-object', '-w', '--stdin'], { input: bytes })
  const info = `${mode & 0o100 ? '100755' : '100644'} ${blob}\t${at}\0`
  await git(['update-index', '--replace', '-z', '--index-info'], { input: info })
}

/** The paths that a patch changes, including the old names of renamed files. */
export async function pathsOf(git: Git, patch: string): Promise<readonly string[]> {
  const listed = await git(['apply', '--numstat', '-z', '-'], { input: patch })
  const named = listed.split('\0').flatMap((line) => line.split('\t').slice(2))
  const renamed = [...patch.matchAll(/^rename from (.+)$/gm)].map(([, path = '']) => path)
  return [...new Set([...named, ...renamed])].filter((path) => path !== '')
}

async function takeBack(git: Git, base: string, paths: readonly string[]): Promise<void> {
  const there = await git(['--literal-pathspecs', 'ls-tree', '-r', '-z', base, '--', ...paths])
  const entries = there.split('\0').filter((line) => line !== '')
  const found = new Set(entries.map((line) => line.slice(line.indexOf('\t') + 1)))
  const gone = paths.filter((path) => !found.has(path)).map((path) => `0 ${'0'.repeat(40)}\t${path}`)
  const kept = entries.map((line) => line.replace(/^(\d+) \w+ (\w+)\t/, '$1 $2\t'))
  await git(['update-index', '--replace', '-z', '--index-info'], {
    input: [...gone, ...kept].map((line) => `${line}\0`).join(''),
  })
}
