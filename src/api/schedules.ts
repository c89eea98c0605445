import { z } from 'zod'
import { scheduleStates } from '../domain/schedule/schedule.ts'
import { handedSchema } from './commands.ts'

/** ISO 8601. */
const time = z.string()

/** GET /api/schedules: all that were not removed. */
export const scheduleListSchema = z.object({
  schedules: z.array(
    z.object({
      name: z.string(),
      state: z.enum(scheduleStates),
      /** Five fields, or a word such as `@daily`, and the zone whose clocks it means. */
      cron: z.string(),
      timezone: z.string(),
      /** What it starts: the text of a task, or the path of a spec; on a hub only its name. */
      kind: z.enum(['spec', 'task']),
      about: z.string(),
      /** Null while it is paused, and where no further time is to come. */
      next: time.nullable(),
      /** What became of it when it was due last. */
      last: z
        .object({
          due: time,
          outcome: z.enum(['started', 'skipped', 'failed']),
          run: z.string().nullable(),
          note: z.string().nullable(),
        })
        .nullable(),
    }),
  ),
})

export type ScheduleList = z.infer<typeof scheduleListSchema>

export const changeScheduleSchema = z.strictObject({ change: z.enum(['paused', 'resumed', 'removed']) })

export const scheduleRoutes = {
  schedules: {
    method: 'get',
    role: 'viewer',
    path: '/api/schedules',
    what: 'the schedules, with what became of each when it was due last',
    answer: scheduleListSchema,
  },
  changeSchedule: {
    method: 'post',
    role: 'operator',
    path: '/api/schedules/:name/change',
    what: 'pause, resume or remove a schedule',
    body: changeScheduleSchema,
    answer: handedSchema,
    status: 202,
  },
} as const
