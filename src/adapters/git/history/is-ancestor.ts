import { DrydockError } from '../../../domain/drydock-error.ts'
import type { Git } from '../git.ts'

/** Implements History.isAncestor. */
export async function isAncestor(
  git: Git,
  mirror: string,
  [ancestor, of]: readonly [string, string],
): Promise<boolean> {
  try {
    const args = ['merge-base', '--is-ancestor', '--end-of-options', ancestor, of]
    return (await git(args, { gitDir: mirror, exits: [1] })).code === 0
  } catch (error) {
    if (error instanceof DrydockError && /Not a valid (?:object|commit) name/.test(error.message)) return false
    throw error
  }
}
