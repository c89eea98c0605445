import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { History } from '../../../ports/history.ts'
import type { Git } from '../git.ts'
import type { Layout } from '../layout.ts'
import { objectId } from '../revision.ts'

/** See History.treeWith. Made in an index of its own, without a work tree. */
export async function treeWith(
  { git, layout }: { readonly git: Git; readonly layout: Layout },
  { base, from, paths, files = [] }: Parameters<History['treeWith']>[0],
): Promise<string> {
  const gitDir = layout.mirror
  // A folder of its own: a git that is killed leaves its lock beside the index.
  const folder = join(layout.trees, randomUUID())
  const environment = { GIT_INDEX_FILE: join(folder, 'index') }
  const list = async (treeish: string) => {
    const { stdout } = await git(['ls-tree', '-r', '-z', '--full-tree', treeish], { gitDir })
    return stdout.toString('latin1').split('\0').filter(Boolean)
  }
  try {
    await mkdir(folder, { recursive: true })
    await git(['read-tree', base], { gitDir, environment })
    const wanted = new Set(paths)
    const isWanted = (entry: string) => wanted.has(utf8(pathOf(entry)))
    const [before, after] = [await list(base), (await list(from)).filter(isWanted)]
    const there = new Set(after.map(pathOf))
    const gone = before.filter((entry) => isWanted(entry) && !there.has(pathOf(entry)))
    const nothing = '0'.repeat(base.length)
    const removals = gone.map((entry) => `0 ${nothing}\t${pathOf(entry)}`)
    // What is gone comes first: a file may be where a folder was.
    const entries = [...removals, ...after]
    const modes = new Map([...before, ...after].map((entry) => [pathOf(entry), entry.split(' ', 1)[0]]))
    for (const { path, content } of files) {
      const hashed = await git(['hash-object', '-w', '--stdin'], { gitDir, input: Buffer.from(content) })
      const raw = Buffer.from(path).toString('latin1')
      const mode = modes.get(raw) === '100755' ? '100755' : '100644'
      entries.push(`${mode} ${objectId(hashed.stdout)} 0\t${raw}`)
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

/** Of a line of `git ls-tree`. */
function pathOf(entry: string): string {
  return entry.slice(entry.indexOf('\t') + 1)
}

function utf8(raw: string): string {
  return Buffer.from(raw, 'latin1').toString('utf8')
}
