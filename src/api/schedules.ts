import { z } from 'zod'
import { limits } from '../domain/limits.ts'
import { priorities } from '../domain/share/priority.ts'
import { handedSchema, modelsSchema } from './commands.ts'
import type { Route } from './route.ts'

const time = z.iso.datetime()
const line = z.string().trim().min(1).max(4_096)
const handed = handedSchema.shape.handed

const work = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('task'), text: z.string().trim().min(1).max(limits.specBytes) }),
  /** A file of the machine that works, read each time. */
  z.strictObject({ kind: z.literal('spec'), file: line, as_is: z.boolean().default(false) }),
])

/** GET /api/schedules */
export const scheduleListSchema = z.object({
  schedules: z.array(
    z.object({
      ...{ name: z.string(), state: z.enum(['ACTIVE', 'PAUSED']), cron: z.string(), timezone: z.string(), work },
      /** Null when the expression has no further time. */
      next: time.nullable(),
      /** What became of it when it was due last. */
      last: z
        .object({
          ...{ due: time, at: time, outcome: z.enum(['started', 'skipped', 'failed']) },
          ...{ run: z.string().nullable(), note: z.string().nullable() },
        })
        .nullable(),
      /** The Run that it started last. */
      run: z.string().nullable(),
    }),
  ),
})

/** POST /api/schedules: what is left out is as configured, each time anew. */
export const addScheduleSchema = z.strictObject({
  /** Five fields, or a word such as `@daily`. */
  cron: line,
  /** IANA name; that of the machine when left out. */
  timezone: line.optional(),
  work,
  target: line.optional(),
  models: modelsSchema.optional(),
  budget_usd: z.number().positive().max(1e6).optional(),
  max_wait_sec: z.int().min(1).max(1e7).optional(),
  priority: z.enum(priorities).optional(),
})

export const addedScheduleSchema = z.object({
  ...{ name: z.string(), timezone: z.string(), handed },
  /** The next ones. */
  times: z.array(time),
})

/** POST /api/schedules/:name */
export const changeScheduleSchema = z.strictObject({ event: z.enum(['paused', 'resumed', 'removed']) })

export const changedScheduleSchema = z.object({ name: z.string(), handed })

export type ScheduleList = z.infer<typeof scheduleListSchema>

/** The routes of what starts by itself. */
export const scheduleRoutes = {
  schedules: {
    method: 'get',
    role: 'viewer',
    path: '/api/schedules',
    what: 'the schedules of a repository, as they are once every stored command is applied',
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
    path: '/api/schedules/:name',
    what: 'pause, resume or remove a schedule',
    body: changeScheduleSchema,
    answer: changedScheduleSchema,
    status: 202,
  },
} as const satisfies Readonly<Record<string, Route>>
