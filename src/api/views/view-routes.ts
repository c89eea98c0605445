import { type Plan, planSchema } from '../plan.ts'
import { budgetQuerySchema, budgetViewSchema } from './budget.ts'
import {
  beforeQuerySchema,
  beforeSchema,
  planRequestSchema,
  recordingQuerySchema,
  recordingSchema,
  unfinishedQuerySchema,
  unfinishedSchema,
} from './continue.ts'
import {
  crewsSchema,
  newsQuerySchema,
  newsSchema,
  resultsSchema,
  runsQuerySchema,
  standingQuerySchema,
  standingSchema,
} from './follow.ts'
import { logEntriesQuerySchema, logEntriesSchema } from './log.ts'
import { reportQuerySchema, reportViewSchema } from './report.ts'
import { runStatusQuerySchema, runStatusSchema, statusListSchema, statusQuerySchema } from './status.ts'
import { threadQuerySchema, threadSchema } from './thread.ts'
import { typed } from './typed.ts'
import { workQuerySchema, workSchema } from './work.ts'

/** The views that commands show, here and at a hub. */
export const viewRoutes = {
  work: {
    method: 'get',
    role: 'viewer',
    path: '/api/work',
    what: 'the Run or the story that an id names',
    query: workQuerySchema,
    answer: workSchema,
  },
  statusList: {
    method: 'get',
    role: 'viewer',
    path: '/api/status',
    what: 'the Runs as drydock status lists them',
    query: statusQuerySchema,
    answer: statusListSchema,
  },
  runStatus: {
    method: 'get',
    role: 'viewer',
    path: '/api/status/run',
    what: 'one Run as drydock status shows it',
    query: runStatusQuerySchema,
    answer: runStatusSchema,
  },
  budgetNow: {
    method: 'get',
    role: 'viewer',
    path: '/api/budget',
    what: 'what a Run may spend and has spent',
    query: budgetQuerySchema,
    answer: budgetViewSchema,
  },
  thread: {
    method: 'get',
    role: 'viewer',
    path: '/api/thread',
    what: 'what was said in a Run or about one of its stories',
    query: threadQuerySchema,
    answer: threadSchema,
  },
  reportNow: {
    method: 'get',
    role: 'viewer',
    path: '/api/report',
    what: 'what became of a Run or a story, with its costs and verifications',
    query: reportQuerySchema,
    answer: reportViewSchema,
  },
  logEntries: {
    method: 'get',
    role: 'viewer',
    path: '/api/log',
    what: 'the events of a Run, with what its agents said and did',
    query: logEntriesQuerySchema,
    answer: logEntriesSchema,
  },
  news: {
    method: 'get',
    role: 'viewer',
    path: '/api/news',
    what: 'the events of Runs after one that is known',
    query: newsQuerySchema,
    answer: newsSchema,
  },
  standing: {
    method: 'get',
    role: 'viewer',
    path: '/api/standing',
    what: 'what each of some Runs waits for',
    query: standingQuerySchema,
    answer: standingSchema,
  },
  results: {
    method: 'get',
    role: 'viewer',
    path: '/api/results',
    what: 'the results of some Runs as they are now',
    query: runsQuerySchema,
    answer: resultsSchema,
  },
  crews: {
    method: 'get',
    role: 'viewer',
    path: '/api/crews',
    what: 'how far the crews of some Runs are',
    query: runsQuerySchema,
    answer: crewsSchema,
  },
  unfinished: {
    method: 'get',
    role: 'viewer',
    path: '/api/unfinished',
    what: 'what can be resumed',
    query: unfinishedQuerySchema,
    answer: unfinishedSchema,
  },
  specBefore: {
    method: 'post',
    role: 'viewer',
    path: '/api/specs/before',
    what: 'the newest Run of the same spec; changes nothing',
    body: beforeQuerySchema,
    answer: beforeSchema,
    needs: 'session',
  },
  plan: {
    method: 'get',
    role: 'viewer',
    path: '/api/runs/:run/plan',
    what: 'the stories of a Run as they can be edited, and what they will cost',
    answer: typed<Plan>(planSchema),
  },
  planRequest: {
    method: 'get',
    role: 'viewer',
    path: '/api/runs/:run/plan/request',
    what: 'the work that a plan describes',
    answer: planRequestSchema,
  },
  recording: {
    method: 'get',
    // A recording has the tests that no editor may know.
    role: 'operator',
    path: '/api/runs/:run/recording',
    what: 'a Run as a replay file plays it again',
    query: recordingQuerySchema,
    answer: recordingSchema,
  },
} as const
