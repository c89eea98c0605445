import type { Git } from '../git.ts'

/**
 * A path that differs between two commits; a side is `<mode> <object>`, null where the path is no
 * file there.
 */
export interface Change {
  /** One byte a character. */
  readonly path: string
  readonly before: string | null
  readonly after: string | null
}

export async function changesBetween(git: Git, gitDir: string, from: string, to: string): Promise<readonly Change[]> {
  const { stdout } = await git(['diff-tree', '-r', '-z', '--raw', '--no-renames', from, to], { gitDir })
  const fields = stdout.toString('latin1').split('\0').slice(0, -1)
  return fields.flatMap((field, index) => {
    if (index % 2 === 1) return []
    const [beforeMode, afterMode, before, after] = field.slice(1).split(' ')
    const side = (mode: string | undefined, object: string | undefined) =>
      mode === '000000' ? null : `${mode} ${object}`
    return [{ path: fields[index + 1] ?? '', before: side(beforeMode, before), after: side(afterMode, after) }]
  })
}
