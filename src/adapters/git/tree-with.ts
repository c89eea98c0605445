import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Workspaces } from '../../ports/workspace.ts'
import type { Git } from './git.ts'
import type { Layout } from './layout.ts'
import { objectId } from './revision.ts'

/** See Workspaces.treeWith. Made in an index of its own, without a work tree. */
export async function treeWith(
  { git, layout }: { readonly git: Git; readonly layout: Layout },
  { base, from, paths }: Parameters<Workspaces['treeWith']>[0],
): Promise<string> {
  const gitDir = layout.mirror
  const index = join(layout.scratch, `${randomUUID()}.index`)
  const environment = { GIT_INDEX_FILE: index }
  try {
    await git(['read-tree', base], { gitDir, environment })
    const { stdout } = await git(['ls-tree', '-r', '-z', '--full-tree', from], { gitDir })
    const wanted = new Set(paths)
    // As bytes, so that a path which is no UTF-8 is not changed.
    const entries = stdout
      .toString('latin1')
      .split('\0')
      .filter((entry) => wanted.has(utf8(entry.slice(entry.indexOf('\t') + 1))))
    if (entries.length > 0)
      await git(['update-index', '-z', '--index-info'], {
        ...{ gitDir, environment },
        input: Buffer.from(`${entries.join('\0')}\0`, 'latin1'),
      })
    return objectId((await git(['write-tree'], { gitDir, environment })).stdout)
  } finally {
    await rm(index, { force: true })
  }
}

function utf8(raw: string): string {
  return Buffer.from(raw, 'latin1').toString('utf8')
}
