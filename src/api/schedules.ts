import { z } from 'zod'
import { limits } from '../domain/limits.ts'
import { type ScheduledWork, scheduleStates } from '../domain/schedule/schedule.ts'
import { priorities } from '../domain/share/priority.ts'
import { handedSchema, modelsSchema } from './commands.ts'
import type { Route } from './route.ts'
import { typed } from './views/typed.ts'

/** An ISO 8601 time. */
const time = z.string()

/** GET /api/schedules: all schedules that were not removed. */
export const scheduleListSchema = z.object({
  schedules: z.array(
    z.object({
      name: z.string(),
      state: z.enum(scheduleStates),
      /** In PAUSED: the person who paused it, as far as that is known. */
      paused_by: z.string().nullable(),
      /** Five cron fields, or a word such as `@daily`, and the time zone. */
      cron: z.string(),
      timezone: z.string(),
      /** The text of the task, or the path of the spec; on a hub only the file name. */
      kind: z.enum(['spec', 'task']),
      about: z.string(),
      /** The work as a program takes it. */
      work: typed<ScheduledWork>(z.looseObject({ kind: z.enum(['spec', 'task']) })),
      /** Null while it is paused, or if no further time exists. */
      next: time.nullable(),
      /** The result of its last start. */
      last: z
        .object({
          due: time,
          /** The time when a process noticed. */
          at: time,
          outcome: z.enum(['started', 'skipped', 'failed']),
          run: z.string().nullable(),
          note: z.string().nullable(),
        })
        .nullable(),
    }),
  ),
})

export type ScheduleList = z.infer<typeof scheduleListSchema>

const line = z.string().trim().min(1).max(4_096)

/** POST /api/schedules: options that are absent are read from the configuration at each start. */
export const addScheduleSchema = z.strictObject({
  /** Five cron fields, or a word such as `@daily`. */
  cron: line,
  /** IANA name of a time zone; the default is the machine's. */
  timezone: line.optional(),
  work: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('task'), text: z.string().trim().min(1).max(limits.specBytes) }),
    /** A file on the machine that does the work, read at each start. */
    z.strictObject({ kind: z.literal('spec'), file: line, as_is: z.boolean().default(false) }),
  ]),
  target: line.optional(),
  models: modelsSchema.optional(),
  budget_usd: z.number().positive().max(1e6).optional(),
  max_wait_sec: z.int().min(1).max(1e7).optional(),
  priority: z.enum(priorities).optional(),
})

export const addedScheduleSchema = z.object({
  name: z.string(),
  timezone: z.string(),
  handed: handedSchema.shape.handed,
  /** The next start times. */
  times: z.array(time),
})

export const changeScheduleSchema = z.strictObject({ change: z.enum(['paused', 'resumed', 'removed']) })

export const scheduleRoutes = {
  schedules: {
    method: 'get',
    role: 'viewer',
    path: '/api/schedules',
    what: 'the schedules, with what became of each when it was due last',
    answer: scheduleListSchema,
  },
  addSchedule: {
    method: 'post',
    role: 'operator',
    path: '/api/schedules',
    what: 'start a spec or a task again and again',
    body: addScheduleSchema,
    answer: addedScheduleSchema,
    status: 202,
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
} as const satisfies Readonly<Record<string, Route>>
