import type { Story } from '../story/story.ts'
import { publishedBranch } from './published-branch.ts'
import { landsTogether } from './repositories.ts'
import type { Run } from './run.ts'
import { verifiedCommit } from './verified-commit.ts'

/** What a task builds on that goes on with what a Run has built; or why it cannot. */
export type Ground =
  | { readonly ok: true; readonly branch: string; readonly tip: string; readonly base: string }
  | { readonly ok: false; readonly why: string }

export function groundOf(run: Run, stories: readonly Story[]): Ground {
  if (landsTogether(run))
    return { ok: false, why: `${run.id} has built in several repositories, and a task works in one.` }
  const [branch, tip, { base }] = [publishedBranch(run), verifiedCommit(run, stories), run.data]
  return branch === null || tip === null || base === null
    ? { ok: false, why: `${run.id} has no branch with a verified commit to build on.` }
    : { ok: true, branch, tip, base }
}
