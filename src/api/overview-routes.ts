import { downloadQuerySchema } from './downloads.ts'
import { nowQuerySchema, nowSchema } from './now.ts'
import { scheduleSchema } from './schedule.ts'
import { searchQuerySchema, searchSchema } from './search.ts'

/** Routes that look over many things at once. */
export const overviewRoutes = {
  search: {
    method: 'get',
    role: 'viewer',
    path: '/api/search',
    what: 'runs, stories, changed files, tests and messages that words name',
    query: searchQuerySchema,
    answer: searchSchema,
  },
  download: {
    method: 'get',
    role: 'viewer',
    path: '/api/download',
    what: 'a whole list as a JSON file, sent while it is read',
    query: downloadQuerySchema,
    answer: null,
  },
  now: {
    method: 'get',
    role: 'viewer',
    path: '/api/runs/:run/now',
    what: 'what the conversations of a Run do at this moment; waits for a change',
    query: nowQuerySchema,
    answer: nowSchema,
  },
  schedule: {
    method: 'get',
    role: 'viewer',
    path: '/api/runs/:run/schedule',
    what: 'when what was done of each story, why it waits, and the critical path',
    answer: scheduleSchema,
  },
} as const
