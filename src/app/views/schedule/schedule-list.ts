import { basename } from 'node:path'
import type { ScheduleList } from '../../../api/schedules.ts'
import { scheduleName } from '../../../domain/schedule/schedule.ts'
import { schedulesIn } from '../schedules.ts'
import type { ViewSources } from '../view-sources.ts'

/** The schedules for a page. A hub does not reveal its folders. */
export async function readScheduleList({ records, you }: Pick<ViewSources, 'records' | 'you'>): Promise<ScheduleList> {
  const isHub = (await you()) === null
  const schedules = await schedulesIn(records)
  return {
    schedules: schedules.map(
      ({ id, state, data: { cron, timezone, work, next, last, pausedBy: paused_by = null } }) => ({
        name: scheduleName(id),
        state,
        paused_by,
        cron,
        timezone,
        next,
        kind: work.kind,
        about: work.kind === 'task' ? work.text : isHub ? basename(work.file) : work.file,
        last: last && { due: last.due, outcome: last.outcome, run: last.run, note: last.note },
      }),
    ),
  }
}
