import type { InputOf } from '../../../api/route.ts'
import type { viewRoutes } from '../../../api/views/view-routes.ts'
import type { Meaning, WorkNow } from '../../../api/views/work.ts'
import { publishedBranch } from '../../../domain/run/published-branch.ts'
import { isEnded, isHeld, isPausable, type Run } from '../../../domain/run/run.ts'
import { verifiedCommit } from '../../../domain/run/verified-commit.ts'
import type { Records } from '../../../ports/store.ts'
import { editableIn } from '../../../workflow/architect/edit-plan.ts'
import { latestToRetry } from '../../commands/latest-to-retry.ts'
import { lastTask } from '../../operations/act/accept.ts'
import { isPaused } from '../../operations/act/pause.ts'
import { reading } from '../../reading.ts'
import type { RecordSource } from '../../state-access.ts'
import { findWork, isBuilt, isUnfinished, namedStory, type Work } from './find-work.ts'

type Query = InputOf<typeof viewRoutes.work>

/** The Run or the story that an id names, or the latest that is meant. DrydockError `not_found`. */
export function readWork(drydock: RecordSource, query: Query): Promise<WorkNow> {
  return reading(drydock, async (records) => {
    const { run, ...work } = await find(records, query)
    const stories = await records.machines({ kind: 'story', run: run.id })
    const [told] = await records.recentEvents({ run: run.id, types: ['result'], limit: 1 })
    return {
      run: run.id,
      story: namedStory(work)?.story ?? null,
      state: run.state,
      ended: isEnded(run.state),
      held: isHeld(run),
      paused: isPaused(run),
      result: {
        branch: publishedBranch(run),
        sha: verifiedCommit(run, stories),
        base: run.data.base,
        event: told?.id ?? null,
      },
    }
  })
}

async function find(records: Records, { id, meant }: Query): Promise<Work> {
  if (id === undefined && meant === 'retry') return latestToRetry(records)
  if (id === undefined && meant === 'task') return findWork(records, (await lastTask(records)).id)
  return findWork(records, id, meanings[meant])
}

const meanings: Readonly<Record<Meaning, (run: Run) => boolean>> = {
  built: isBuilt,
  unfinished: isUnfinished,
  pausable: isPausable,
  plan: ({ data: { request } }) => request.kind === 'spec' && request.planOnly,
  editable: (run) => editableIn(run) !== null,
  retry: isBuilt,
  task: isBuilt,
}
