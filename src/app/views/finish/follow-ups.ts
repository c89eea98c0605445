import type { Finish } from '../../../api/finish.ts'
import { followedBy, isEnded, type Run } from '../../../domain/run/run.ts'
import { titleOf } from '../../../domain/run/title.ts'
import { firstLine } from '../../../domain/text.ts'
import type { Records } from '../../../ports/store.ts'
import { readOutcome } from '../../../workflow/run/read-outcome.ts'

/** The Runs that work on remarks about this one, or did, or will; newest first. */
export async function readFollowUps(records: Records, { id }: Pick<Run, 'id'>): Promise<Finish['follow_ups']> {
  const runs = (await records.machines({ kind: 'run' })).filter((run) => followedBy(run)?.run === id)
  const remarks = await records.machines({ kind: 'remark', run: id })
  return Promise.all(
    runs.toReversed().map(async (run) => ({
      run: run.id,
      title: firstLine(titleOf(run)),
      state: run.state,
      ended: isEnded(run.state),
      outcome: await readOutcome(records, run, { isWorkedOn: true }),
      remarks: remarks
        .filter(({ data }) => data.followUp === run.id)
        .map(({ state, data }) => ({ id: data.finding, author: data.author, state })),
    })),
  )
}
