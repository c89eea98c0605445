import { runAcceptanceSchema, storyTestsSchema } from './acceptance.ts'
import { actRoutes } from './act-routes.ts'
import { benchRoutes } from './bench-routes.ts'
import { chatSchema } from './chat.ts'
import { nothingSchema } from './commands.ts'
import { eventListQuerySchema, eventListSchema, eventStreamQuerySchema } from './events.ts'
import { figuresSchema } from './figures.ts'
import { finishRoutes } from './finish-routes.ts'
import { heldRoutes } from './held.ts'
import { linesQuerySchema, linesSchema } from './lines.ts'
import { machinesSchema } from './machines.ts'
import { overviewRoutes } from './overview-routes.ts'
import { remarkListSchema } from './remarks.ts'
import type { Route } from './route.ts'
import { reportSchema, runDetailSchema, runListSchema } from './runs.ts'
import { scheduleRoutes } from './schedules.ts'
import {
  freshTokenSchema,
  keySchema,
  openedSessionSchema,
  openSessionSchema,
  providerAnswerSchema,
  startedSignInSchema,
} from './session.ts'
import { settingsSchema } from './settings.ts'
import { diffQuerySchema, diffSchema, storyDetailSchema } from './stories.ts'
import { timelineEntryAnswerSchema, timelineQuerySchema, timelineSchema } from './timeline.ts'
import {
  fileListSchema,
  fileQuerySchema,
  logQuerySchema,
  logSchema,
  verificationListSchema,
  verificationSchema,
} from './verifications.ts'
import { viewRoutes } from './views/view-routes.ts'
import { workerRoutes } from './workers.ts'

/**
 * All routes. Each except those of `/session` requires the session. Each POST requires an `Origin`
 * of the server itself, a body of type `application/json` and, unless it says otherwise, a fresh
 * token. The server's routes and its OpenAPI document are generated from this table.
 */
export const routes = {
  openSession: {
    method: 'post',
    role: 'anyone',
    path: '/session',
    what: 'exchange the token of a printed link, or on a hub a personal token, for a session',
    body: openSessionSchema,
    answer: openedSessionSchema,
  },
  startSignIn: {
    method: 'post',
    role: 'anyone',
    path: '/session/provider',
    what: 'begin a sign-in with the OpenID provider of a hub',
    body: nothingSchema,
    answer: startedSignInSchema,
  },
  finishSignIn: {
    method: 'post',
    role: 'anyone',
    path: '/session/provider/answer',
    what: 'exchange what the provider has sent the browser back with for a session',
    body: providerAnswerSchema,
    answer: openedSessionSchema,
  },
  freshToken: {
    method: 'post',
    role: 'viewer',
    path: '/api/session/token',
    what: 'a token for requests that act, good for minutes',
    body: keySchema,
    answer: freshTokenSchema,
    needs: 'session',
  },
  endSessions: {
    method: 'post',
    role: 'viewer',
    path: '/api/session/end',
    what: 'sign out: end all sessions and links of this installation, or on a hub this session',
    body: nothingSchema,
    answer: null,
    status: 204,
    needs: 'session',
  },
  openapi: {
    method: 'get',
    role: 'viewer',
    path: '/api/openapi.json',
    what: 'this list as an OpenAPI document',
    answer: null,
  },
  events: {
    method: 'get',
    role: 'viewer',
    path: '/api/events',
    what: 'the event stream (SSE) of all Runs',
    query: eventStreamQuerySchema,
    answer: null,
  },
  runs: {
    method: 'get',
    role: 'viewer',
    path: '/api/runs',
    what: 'all Runs, newest first, and what waits for a human',
    answer: runListSchema,
  },
  ...overviewRoutes,
  ...benchRoutes,
  ...workerRoutes,
  ...scheduleRoutes,
  run: {
    method: 'get',
    role: 'viewer',
    path: '/api/runs/:run',
    what: 'one Run with its stories',
    answer: runDetailSchema,
  },
  runAcceptance: {
    method: 'get',
    role: 'viewer',
    path: '/api/runs/:run/acceptance',
    what: 'the acceptance criteria of the stories of a Run, without their tests',
    answer: runAcceptanceSchema,
  },
  runDiff: {
    method: 'get',
    role: 'viewer',
    path: '/api/runs/:run/diff',
    what: 'all that a Run has merged, or its only story has changed',
    query: diffQuerySchema,
    answer: diffSchema,
  },
  runLines: {
    method: 'get',
    role: 'viewer',
    path: '/api/runs/:run/lines',
    what: 'lines of a file of a commit that stands on the base of the Run',
    query: linesQuerySchema,
    answer: linesSchema,
  },
  runTimeline: {
    method: 'get',
    role: 'viewer',
    path: '/api/runs/:run/timeline',
    what: 'model and tool calls of a Run, newest first',
    query: timelineQuerySchema,
    answer: timelineSchema,
  },
  timelineEntry: {
    method: 'get',
    role: 'viewer',
    path: '/api/runs/:run/timeline/:cursor',
    what: 'one model or tool call, with far more of its input and output',
    answer: timelineEntryAnswerSchema,
  },
  runEvents: {
    method: 'get',
    role: 'viewer',
    path: '/api/runs/:run/events',
    what: 'the event log of a Run, newest first',
    query: eventListQuerySchema,
    answer: eventListSchema,
  },
  runVerifications: {
    method: 'get',
    role: 'viewer',
    path: '/api/runs/:run/verifications',
    what: 'the verifications of a Run, newest first',
    answer: verificationListSchema,
  },
  chat: {
    method: 'get',
    role: 'viewer',
    path: '/api/runs/:run/chat',
    what: 'what was said in a Run',
    answer: chatSchema,
  },
  remarks: {
    method: 'get',
    role: 'viewer',
    path: '/api/runs/:run/remarks',
    what: 'what people have remarked on a change, and the fate of each remark',
    answer: remarkListSchema,
  },
  report: {
    method: 'get',
    role: 'viewer',
    path: '/api/runs/:run/report',
    what: 'what became of a Run, as Markdown',
    answer: reportSchema,
  },
  figures: {
    method: 'get',
    role: 'viewer',
    path: '/api/runs/:run/figures',
    what: 'figures to draw',
    answer: figuresSchema,
  },
  story: {
    method: 'get',
    role: 'viewer',
    path: '/api/runs/:run/stories/:story',
    what: 'one story with all that is known of it',
    answer: storyDetailSchema,
  },
  storyTests: {
    method: 'get',
    // Hidden tests must not become known to an editor.
    role: 'operator',
    path: '/api/runs/:run/stories/:story/acceptance',
    what: 'the acceptance tests of a story that its editor does not see',
    answer: storyTestsSchema,
  },
  storyDiff: {
    method: 'get',
    role: 'viewer',
    path: '/api/runs/:run/stories/:story/diff',
    what: 'what a story has changed, as of its newest snapshot',
    query: diffQuerySchema,
    answer: diffSchema,
  },
  storyTimeline: {
    method: 'get',
    role: 'viewer',
    path: '/api/runs/:run/stories/:story/timeline',
    what: 'model and tool calls of a story, newest first',
    query: timelineQuerySchema,
    answer: timelineSchema,
  },
  verification: {
    method: 'get',
    role: 'viewer',
    path: '/api/verifications/:run_id',
    what: 'one verification',
    answer: verificationSchema,
  },
  verificationLog: {
    method: 'get',
    role: 'viewer',
    path: '/api/verifications/:run_id/log',
    what: 'its log',
    query: logQuerySchema,
    answer: logSchema,
  },
  verificationFiles: {
    method: 'get',
    role: 'viewer',
    path: '/api/verifications/:run_id/files',
    what: 'the files that it has left',
    answer: fileListSchema,
  },
  verificationFile: {
    method: 'get',
    // A file that is too large for redaction may still contain secrets.
    role: 'operator',
    path: '/api/verifications/:run_id/file',
    what: 'one of these files, as it is',
    query: fileQuerySchema,
    answer: null,
  },
  ...finishRoutes,
  ...heldRoutes,
  machines: {
    method: 'get',
    role: 'viewer',
    path: '/api/machines',
    what: 'the transition tables',
    answer: machinesSchema,
  },
  settings: {
    method: 'get',
    role: 'admin',
    path: '/api/settings',
    what: 'what holds, and where it comes from',
    answer: settingsSchema,
  },
  ...actRoutes,
  ...viewRoutes,
} as const satisfies Readonly<Record<string, Route>>

export type RouteName = keyof typeof routes
