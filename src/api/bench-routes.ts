import { benchAttemptDetailSchema, benchListSchema, benchSchema } from './benches.ts'

/** Routes about runs of `drydock bench`: for the one user of an installation, never on a hub. */
export const benchRoutes = {
  benches: {
    method: 'get',
    role: 'admin',
    path: '/api/benches',
    what: 'the runs of drydock bench that this installation knows, newest first',
    answer: benchListSchema,
  },
  bench: {
    method: 'get',
    role: 'admin',
    path: '/api/benches/:bench',
    what: 'one run of drydock bench with its attempts',
    answer: benchSchema,
  },
  benchAttempt: {
    method: 'get',
    role: 'admin',
    path: '/api/benches/:bench/attempts/:attempt',
    what: 'one attempt: hidden tests, change, newest events',
    answer: benchAttemptDetailSchema,
  },
} as const
