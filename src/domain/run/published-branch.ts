import { hasCrew, type Run } from './run.ts'

/** The branch that a Run has made, or null. A crew's branch exists from its first merge on. */
export function publishedBranch(run: Run): string | null {
  const { branch, base, tip, applied, diff } = run.data
  if (hasCrew(run)) return tip !== null && tip !== base ? branch : null
  return run.state === 'DONE' && applied === null && diff === null ? branch : null
}
