import type { Guide } from '../../domain/guide/guide.ts'
import type { Machine } from '../../domain/machine.ts'
import { followedBy } from '../../domain/run/run.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { runOf } from '../machines.ts'

/**
 * The repository's guide for the agents of a Run's machine, as of the Run's base commit: no story
 * may change what the next one is told.
 */
export async function guideFor(
  { guides, store }: Pick<WorkflowDependencies, 'guides' | 'store'>,
  machine: Pick<Machine, 'run' | 'story'>,
): Promise<Guide> {
  const run = await runOf(store, machine)
  if (run.data.base === null) throw new Error(`run ${run.id} has not started`)
  return guides.of(followedBy(run)?.base ?? run.data.base)
}
