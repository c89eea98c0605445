import { landsTogether } from './repositories.ts'
import type { Run } from './run.ts'

/**
 * The branch that a Run has made, or null. A crew's branch exists from its first merge on. Over
 * several repositories the branch has the same name in each, and exists from its first move on.
 */
export function publishedBranch(run: Run): string | null {
  const { branch, base, tip, applied, diff } = run.data
  if (landsTogether(run)) return run.data.landing?.some(({ moved }) => moved) ? branch : null
  if (run.data.policy.result === 'merged') return tip !== null && tip !== base ? branch : null
  return run.state === 'DONE' && applied === null && diff === null ? branch : null
}
