import { z } from 'zod'
import { noticeTypes } from '../domain/notification/notice.ts'
import { nothingSchema } from './commands.ts'
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
      /**
       * `draining`: takes no new step, and ends when those under way have ended. `silent`: gave no
       * sign of life for so long that its steps may be begun elsewhere. `lost`: was given up, so
       * its stories go on elsewhere. `ended`: in good order.
       */
      state: z.enum(['working', 'draining', 'silent', 'lost', 'ended']),
      /** Of its Drydock; null where that is not known. */
      version: z.string().nullable(),
      since: z.iso.datetime().nullable(),
      /** When it gave its last sign of life. */
      seen_at: z.iso.datetime().nullable(),
      /** Seconds since then; null when nobody there is alive. */
      silent_s: z.number().nullable(),
    }),
  ),
})

/** POST /api/workers/:worker/drain */
export const drainedWorkerSchema = z.object({ host: z.string() })

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
