import { choicesSchema } from './choices.ts'
import { comparisonQuerySchema, comparisonSchema } from './comparison.ts'
import { downloadQuerySchema } from './downloads.ts'
import { historyQuerySchema, historySchema } from './history.ts'
import { hubFactsSchema, hubQuerySchema } from './hub-facts.ts'
import { nowQuerySchema, nowSchema } from './now.ts'
import { repositoryListSchema } from './repositories.ts'
import { scheduleSchema } from './schedule.ts'
import { searchQuerySchema, searchSchema } from './search.ts'

/** Routes for overviews of many Runs. */
export const overviewRoutes = {
  repositories: {
    method: 'get',
    role: 'admin',
    path: '/api/repositories',
    what: 'all repositories of this installation, with their newest Runs and their questions',
    answer: repositoryListSchema,
  },
  hub: {
    method: 'get',
    role: 'viewer',
    path: '/api/hub',
    what: 'what a client must know of a hub: versions, the name of its token, the repository',
    query: hubQuerySchema,
    answer: hubFactsSchema,
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
  choices: {
    method: 'get',
    role: 'operator',
    path: '/api/choices',
    what: 'the models, agents and branches that work can be started with',
    answer: choicesSchema,
  },
  comparison: {
    method: 'get',
    role: 'viewer',
    path: '/api/comparison',
    what: 'two Runs side by side',
    query: comparisonQuerySchema,
    answer: comparisonSchema,
  },
  metrics: {
    method: 'get',
    role: 'monitor',
    path: '/api/metrics',
    what: 'figures about a hub in the text format of Prometheus',
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
  history: {
    method: 'get',
    role: 'viewer',
    path: '/api/runs/:run/history',
    what: 'each event of a Run in short, newest first, and the commits that hold the work as it was',
    query: historyQuerySchema,
    answer: historySchema,
  },
} as const
