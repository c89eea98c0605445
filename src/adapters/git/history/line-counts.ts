import type { LineCount } from '../../../ports/history.ts'
import type { Git } from '../git.ts'

/** See History.lineCounts. */
export async function lineCounts(
  git: Git,
  gitDir: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<ReadonlyMap<string, LineCount | null>> {
  const plain = ['--no-ext-diff', '--no-textconv', '--find-renames', '--numstat']
  const { stdout } = await git(['diff-tree', '-r', '-z', ...plain, from, to], { gitDir })
  const fields = stdout.toString('utf8').split('\0').values()
  const counts = new Map<string, LineCount | null>()
  for (const field of fields) {
    if (field === '') break
    const [added = '-', removed = '-', path = ''] = field.split('\t')
    // The two paths of a renamed file come on their own.
    const name = path === '' ? [fields.next().value, fields.next().value][1] : path
    counts.set(name ?? '', added === '-' ? null : { added: Number(added), removed: Number(removed) })
  }
  return counts
}
