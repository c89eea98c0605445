import { DrydockError } from '../../../domain/drydock-error.ts'
import type { Run } from '../../../domain/run/run.ts'
import type { ViewSources } from '../view-sources.ts'

/**
 * A commit can be asked for that stands on the base of the Run, as every snapshot of its stories
 * does. DrydockError `not_found`.
 */
export async function checkCommit({ history }: Pick<ViewSources, 'history'>, run: Run, sha: string): Promise<void> {
  const { base } = run.data
  if (base !== null && (sha === base || (await history.isAncestor(base, sha)))) return
  throw new DrydockError('not_found', `Drydock does not keep ${sha} for ${run.id}.`, {
    todo: 'Choose another commit: a look at a workspace is not kept for long.',
  })
}
