import { emptyTree } from '../revision.ts'

/**
 * Environment for a command that must ignore the attributes of all trees. Git reads none in a bare
 * repository, but versions around 2.43 take those of HEAD.
 */
export function noAttributes(sha: string): Readonly<Record<string, string>> {
  return { GIT_ATTR_SOURCE: emptyTree(sha) }
}
