import { basename } from 'node:path'
import type { ScheduleList } from '../../../api/schedules.ts'
import { scheduleName } from '../../../domain/schedule/schedule.ts'
import type { RecordSource } from '../../state-access.ts'
import { readSchedules } from '../schedules.ts'

/** The schedules as they are shown. The folders of a hub are nobody's business. */
export async function readScheduleList(
  drydock: RecordSource,
  { by }: { readonly by: string | null },
): Promise<ScheduleList> {
  const schedules = await readSchedules(drydock)
  return {
    schedules: schedules.map(({ id, state, data: { cron, timezone, work: given, next, last, pausedBy = null } }) => {
      const work = given.kind === 'spec' && by !== null ? { ...given, file: basename(given.file) } : given
      return {
        name: scheduleName(id),
        state,
        paused_by: pausedBy,
        cron,
        timezone,
        next,
        kind: work.kind,
        about: work.kind === 'task' ? work.text : work.file,
        work,
        last,
      }
    }),
  }
}
