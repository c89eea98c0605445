import type { MergeResult } from '../../../ports/history.ts'
import type { Git } from '../git.ts'
import { shownPath } from '../raw-path.ts'
import { objectId } from '../revision.ts'
import { noAttributes } from './no-attributes.ts'

/** Implements History.merge. */
export async function merge(
  git: Git,
  mirror: string,
  { ours, theirs }: { readonly ours: string; readonly theirs: string },
): Promise<MergeResult> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--messages', ours, theirs]
  const { code, stdout } = await git(args, { gitDir: mirror, environment: noAttributes(ours), exits: [1] })
  const fields = stdout.toString('latin1').split('\0').map(shownPath)
  const tree = objectId(fields[0] ?? '')
  if (code === 0) return { clean: true, tree }
  const end = fields.indexOf('', 1)
  const conflicts = [...new Set(fields.slice(1, end))].sort()
  return { clean: false, tree, conflicts, explanation: explanation(fields.slice(end + 1)) }
}

/** A message consists of a number of paths, the paths, its kind and its text. */
function explanation(fields: readonly string[]): string {
  const texts: string[] = []
  for (let i = 0; i + 1 < fields.length; ) {
    const kindAt = i + 1 + Number(fields[i])
    if (fields[kindAt] !== 'Auto-merging') texts.push(fields[kindAt + 1] ?? '')
    i = kindAt + 2
  }
  return texts.join('').trimEnd()
}
