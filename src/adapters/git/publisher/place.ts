import type { GitOutput } from '../git.ts'

/** A branch's commit, and the work tree that has it checked out, if any. */
export interface Place {
  readonly at: string
  readonly checkedOut: string | null
}

/** Null for a branch that does not exist. */
export async function placeOf(
  run: (...args: readonly string[]) => Promise<GitOutput>,
  ref: string,
): Promise<Place | null> {
  const format = '%(refname)%00%(objectname)%00%(worktreepath)'
  const { stdout } = await run('for-each-ref', `--format=${format}`, ref)
  const found = stdout
    .toString('utf8')
    .split('\n')
    .find((line) => line.startsWith(`${ref}\0`))
  const [, at = '', checkedOut = ''] = found?.split('\0') ?? []
  return found === undefined ? null : { at, checkedOut: checkedOut || null }
}
