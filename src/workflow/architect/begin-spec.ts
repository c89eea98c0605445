import type { SpecRequest } from '../../domain/run/run.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import type { DecisionDependencies } from '../lane/dependencies.ts'
import type { Beginning, FirstWork } from '../run/beginning.ts'
import { schedule } from '../run/schedule.ts'
import { approvalMove, openScoping } from './plan-spec.ts'
import { addStories, storiesMove } from './start-stories.ts'

/**
 * Opens the architect's sandbox, and starts with SCOPING, or with the stories if the request brings
 * them. A Run that was cancelled continues with its own stories.
 */
export async function beginSpec(
  deps: DecisionDependencies & Pick<WorkflowDependencies, 'architect' | 'guides'>,
  { run, request, pins, stories: before }: Beginning<SpecRequest>,
  signal: AbortSignal,
): Promise<FirstWork> {
  const [guide] = await Promise.all([deps.guides.of(pins.base), deps.architect.start(signal)])
  const { stories, reviewStories } = request
  const isReopened = before.length > 0
  const isBuilt = before.every(({ state }) => state === 'DONE' || state === 'DROPPED')
  return {
    async move(tx, pinned) {
      const { base, branch } = pinned.data
      // If every story is built, the Run only has to end.
      if (isReopened) return { event: 'started', log: { base, branch }, next: isBuilt ? 'queue' : 'rest' }
      const { fewerCoders, source } = pins.config
      if (fewerCoders && run.data.base === null)
        await tx.appendEvent({ run: run.id, story: null, type: 'fewer_coders', data: { ...fewerCoders, source } })
      if (stories === null) return { event: 'scoping_started', log: { base, branch }, next: 'rest' }
      return reviewStories ? approvalMove(tx, pinned, stories) : storiesMove(pinned, { stories })
    },
    async work(tx, moved) {
      if (isReopened) return schedule(tx, deps)
      if (stories === null) return openScoping(tx, moved, guide)
      if (!reviewStories) await addStories(tx, deps, moved, stories)
    },
  }
}
