import { downloadQuerySchema } from './downloads.ts'
import { repositoryListSchema } from './repositories.ts'
import { scheduleSchema } from './schedule.ts'
import { searchQuerySchema, searchSchema } from './search.ts'

/** Routes that look over many things at once. */
export const overviewRoutes = {
  repositories: {
    method: 'get',
    role: 'admin',
    path: '/api/repositories',
    what: 'all repositories of this installation, with their newest Runs and their questions',
    answer: repositoryListSchema,
  },
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
  metrics: {
    method: 'get',
    role: 'monitor',
    path: '/api/metrics',
    what: 'figures about a hub in the text format of Prometheus',
    answer: null,
  },
  schedule: {
    method: 'get',
    role: 'viewer',
    path: '/api/runs/:run/schedule',
    what: 'when what was done of each story, why it waits, and the critical path',
    answer: scheduleSchema,
  },
} as const
