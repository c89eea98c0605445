import { lutimes, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Git, GitOptions } from '../git.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { pathsBelow } from '../paths-below.ts'
import { find } from './find.ts'
import { withTime } from './index-times.ts'
import type { WorkTree } from './move-work-tree.ts'

type Options = Pick<GitOptions, 'signal' | 'spawned'>

/**
 * Sets all files and folders of a checkout to one time, so that no time tells which files were
 * written last. The time is derived from the tree: tools cache facts about a file under its time
 * and size, and would otherwise confuse files of two trees. Packs are skipped, since other git
 * directories link to them.
 */
export async function sameTimes(
  { git, objects }: { readonly git: Git; readonly objects: ReadObject },
  { gitDir, workTree }: Pick<WorkTree, 'gitDir' | 'workTree'>,
  { sha, options }: { readonly sha: string; readonly options: Options },
): Promise<void> {
  const tree = (await objects(`${sha}^{tree}`, { maxBytes: 0 }))?.id ?? sha
  const time = timeOf(tree)
  const index = join(gitDir, 'index')
  const stored = await readFile(index)
  const known = withTime(stored, { time, idBytes: tree.length / 2 })
  if (known !== null) await writeFile(index, known)
  if (stored.readUInt32BE(8) <= fewFiles) await touchAll(workTree, time)
  else {
    const touch = ['-exec', 'touch', '--no-dereference', `--date=@${time}`, '{}', '+']
    await find(workTree, ['!', '-path', './.git/objects/pack/*', ...touch], options)
  }
  if (known === null) await git(['update-index', '-q', '--refresh'], { ...options, gitDir, workTree })
  // Git rereads a file that is not older than the index.
  await utimes(index, time + 10, time + 10)
}

/** For fewer files, two programs take longer than this process. */
const fewFiles = 1_000

async function touchAll(workTree: string, time: number): Promise<void> {
  const packs = Buffer.from(join(workTree, '.git/objects/pack/'))
  const isPack = (path: Buffer) => path.subarray(0, packs.length).equals(packs)
  const paths = (await pathsBelow(Buffer.from(workTree))).filter((path) => !isPack(path))
  await Promise.all([workTree, ...paths].map((path) => lutimes(path, time, time)))
}

/** 2010-01-01: tools refuse to pack files from before 1980. */
const first = 1_262_304_000
const tenYears = 315_360_000

/** Seconds since 1970. */
function timeOf(tree: string): number {
  return first + (Number.parseInt(tree.slice(0, 12), 16) % tenYears)
}
