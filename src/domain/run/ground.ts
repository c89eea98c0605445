import type { Story } from '../story/story.ts'
import { publishedBranch } from './published-branch.ts'
import { landsTogether } from './repositories.ts'
import type { Run } from './run.ts'
import { verifiedCommit } from './verified-commit.ts'

/** The starting point of a task that continues a Run's result; or the reason why there is none. */
export type Ground =
  | { readonly ok: true; readonly branch: string; readonly tip: string; readonly base: string }
  | { readonly ok: false; readonly why: string }

export function groundOf(run: Run, stories: readonly Story[]): Ground {
  if (landsTogether(run) && !run.data.landing?.some(({ repository, moved }) => repository === null && moved))
    return { ok: false, why: `${run.id} has built nothing in its own repository, where a task works.` }
  const [branch, tip, { base }] = [publishedBranch(run), verifiedCommit(run, stories), run.data]
  return branch === null || tip === null || base === null
    ? { ok: false, why: `${run.id} has no branch with a verified commit to build on.` }
    : { ok: true, branch, tip, base }
}
