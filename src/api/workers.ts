import { z } from 'zod'
import { noticeTypes } from '../domain/notification/notice.ts'
import type { Route } from './route.ts'

/** GET /api/worker: what a worker must know of the hub. */
export const sharedStateSchema = z.object({
  protocol: z.int(),
  version: z.string(),
  token: z.string(),
  state: z.object({ id: z.uuid(), schema: z.string() }),
  repository: z.string(),
  git: z.string(),
  slots: z.object({ per_user: z.int().exactOptional(), per_run: z.int().exactOptional() }),
  commits: z.object({
    author: z.object({ name: z.string(), email: z.string() }).nullable(),
    trailers: z.array(z.string()).readonly(),
  }),
  notifying: z.object({
    notifiers: z.array(z.enum(['webhook', 'command'])).readonly(),
    on: z.array(z.enum(noticeTypes)).readonly(),
  }),
})

/** GET /api/workers */
export const workerListSchema = z.object({
  workers: z.array(
    z.object({
      /** `hub` is the hub itself. */
      name: z.string(),
      host: z.string(),
      slots: z.array(z.object({ name: z.string(), run: z.string().nullable(), story: z.string().nullable() })),
      /** Seconds since the last sign of life; null when nobody there is alive. */
      silent_s: z.number().nullable(),
    }),
  ),
})

export type WorkerList = z.infer<typeof workerListSchema>

/** The routes of the machines that work for a hub. */
export const workerRoutes = {
  sharedState: {
    method: 'get',
    role: 'worker',
    path: '/api/worker',
    what: 'what a worker must know of the hub',
    answer: sharedStateSchema,
  },
  workers: {
    method: 'get',
    role: 'viewer',
    path: '/api/workers',
    what: 'the machines that work for a hub, with their slots',
    answer: workerListSchema,
  },
} as const satisfies Readonly<Record<string, Route>>
