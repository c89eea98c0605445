import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { History } from '../../../ports/history.ts'
import type { Git } from '../git.ts'
import type { Layout } from '../layout.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { latin1Name } from '../objects/tree-entries.ts'
import { shownPath } from '../raw-path.ts'
import { objectId } from '../revision.ts'
import { contents, requireTree } from './contents.ts'

/** See History.treeWith. Made in an index of its own, without a work tree. */
export async function treeWith(
  { git, layout, objects }: { readonly git: Git; readonly layout: Layout; readonly objects: ReadObject },
  { base, from, paths, files = [], without = [] }: Parameters<History['treeWith']>[0],
): Promise<string> {
  const gitDir = layout.mirror
  // A folder of its own: a git that is killed leaves its lock beside the index.
  const folder = join(layout.trees, randomUUID())
  const environment = { GIT_INDEX_FILE: join(folder, 'index') }
  const dropped = new Set(without)
  const taken = new Set([...paths, ...without])
  const wanted = new Set([...taken, ...files.map(({ path }) => path)])
  const entriesOf = (treeish: string) => filesAt({ git, gitDir, objects }, treeish, wanted)
  try {
    await mkdir(folder, { recursive: true })
    await git(['read-tree', base], { gitDir, environment })
    await requireTree(objects, from)
    const isTaken = (entry: string) => taken.has(shownPath(pathOf(entry)))
    const before = await entriesOf(base)
    const isKept = (entry: string) => isTaken(entry) && !dropped.has(shownPath(pathOf(entry)))
    const after = (await entriesOf(from)).filter(isKept)
    const there = new Set(after.map(pathOf))
    const gone = before.filter((entry) => isTaken(entry) && !there.has(pathOf(entry)))
    const nothing = '0'.repeat(base.length)
    const removals = gone.map((entry) => `0 ${nothing}\t${pathOf(entry)}`)
    // What is gone comes first: a file may be where a folder was.
    const entries = [...removals, ...after]
    const modes = new Map([...before, ...after].map((entry) => [pathOf(entry), entry.split(' ', 1)[0]]))
    for (const { path, content } of files) {
      const hashed = await git(['hash-object', '-w', '--stdin'], { gitDir, input: Buffer.from(content) })
      const mode = modes.get(latin1Name(path)) === '100755' ? '100755' : '100644'
      entries.push(`${mode} ${objectId(hashed.stdout)} 0\t${latin1Name(path)}`)
    }
    if (entries.length > 0)
      await git(['update-index', '-z', '--index-info'], {
        ...{ gitDir, environment },
        // As bytes, so that a path which is no UTF-8 is not changed.
        input: Buffer.from(`${entries.join('\0')}\0`, 'latin1'),
      })
    return objectId((await git(['write-tree'], { gitDir, environment })).stdout)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Lines of `git ls-tree` for the files at the paths, with names as `latin1`. */
async function filesAt(
  { git, gitDir, objects }: { readonly git: Git; readonly gitDir: string; readonly objects: ReadObject },
  treeish: string,
  paths: ReadonlySet<string>,
): Promise<readonly string[]> {
  // A name that is not UTF-8 is known only as it is shown, so that all files are listed.
  if ([...paths].some((path) => path.includes('\uFFFD'))) {
    const { stdout } = await git(['ls-tree', '-r', '-z', '--full-tree', treeish], { gitDir })
    const all = stdout.toString('latin1').split('\0').filter(Boolean)
    return all.filter((entry) => paths.has(shownPath(pathOf(entry))))
  }
  const found = Object.entries(await contents(objects, { sha: treeish, paths: [...paths] }))
  return found.flatMap(([path, entry]) =>
    entry === null || entry.includes(' tree ') ? [] : [`${entry}\t${latin1Name(path)}`],
  )
}

/** Of a line of `git ls-tree`. */
function pathOf(entry: string): string {
  return entry.slice(entry.indexOf('\t') + 1)
}
