import { z } from 'zod'
import { noticeTypes } from '../domain/notification/notice.ts'
import { nothingSchema } from './commands.ts'
import type { Route } from './route.ts'

/** GET /api/worker: the hub's settings for a worker. */
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

/** GET /api/workers: all workers of the hub. */
export const workerListSchema = z.object({
  workers: z.array(
    z.object({
      /** `hub` is the hub itself. */
      name: z.string(),
      host: z.string(),
      slots: z.array(z.object({ name: z.string(), run: z.string().nullable(), story: z.string().nullable() })),
      /**
       * `draining`: starts no new step, and ends after its current steps. `silent`: has missed so
       * many heartbeats that other workers may start its steps. `lost`: given up, so that its
       * stories continue elsewhere. `ended`: ended in good order.
       */
      state: z.enum(['working', 'draining', 'silent', 'lost', 'ended']),
      /** The worker's version of Drydock; null if unknown. */
      version: z.string().nullable(),
      since: z.iso.datetime().nullable(),
      /** The time of its last heartbeat. */
      seen_at: z.iso.datetime().nullable(),
      /** Seconds since its last heartbeat; null if no process there is alive. */
      silent_s: z.number().nullable(),
    }),
  ),
})

/** POST /api/workers/:worker/drain: drains a worker. */
export const drainedWorkerSchema = z.object({ host: z.string() })

export type WorkerList = z.infer<typeof workerListSchema>

/** The routes for machines that work for a hub. */
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
  drainWorker: {
    method: 'post',
    role: 'operator',
    path: '/api/workers/:worker/drain',
    what: 'end a worker in good order: the steps under way end, and its stories go on elsewhere',
    body: nothingSchema,
    answer: drainedWorkerSchema,
    status: 202,
  },
} as const satisfies Readonly<Record<string, Route>>
