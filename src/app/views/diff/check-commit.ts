import { DrydockError } from '../../../domain/drydock-error.ts'
import type { Run } from '../../../domain/run/run.ts'
import type { ViewSources } from '../view-sources.ts'

/**
 * Checks that a commit is a descendant of the Run's base, as every snapshot of its stories is.
 * Other commits are not shown. Throws DrydockError `not_found`.
 */
export async function checkCommit({ history }: Pick<ViewSources, 'history'>, run: Run, sha: string): Promise<void> {
  const { base } = run.data
  if (base !== null && (sha === base || (await history.isAncestor(base, sha)))) return
  throw new DrydockError('not_found', `Drydock does not keep ${sha} for ${run.id}.`, {
    todo: 'Choose another commit: a look at a workspace is not kept for long.',
  })
}
