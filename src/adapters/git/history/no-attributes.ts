import { emptyTree } from '../revision.ts'

/**
 * Environment of a command that must not heed the attributes of any tree. Git reads none in a bare
 * repository, except for versions around 2.43, which take those of its HEAD.
 */
export function noAttributes(sha: string): Readonly<Record<string, string>> {
  return { GIT_ATTR_SOURCE: emptyTree(sha) }
}
