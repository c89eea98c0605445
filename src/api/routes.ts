import type { z } from 'zod'
import { chatSchema } from './chat.ts'
import {
  acceptSchema,
  handedSchema,
  nothingSchema,
  postSchema,
  raiseBudgetSchema,
  replySchema,
  retrySchema,
  startInterviewSchema,
  startRunSchema,
  startTaskSchema,
} from './commands.ts'
import { eventListQuerySchema, eventListSchema, eventStreamQuerySchema } from './events.ts'
import { figuresSchema } from './figures.ts'
import { finishRoutes } from './finish-routes.ts'
import { machinesSchema } from './machines.ts'
import { remarkListSchema, submitReviewSchema, submittedReviewSchema } from './remarks.ts'
import { reportSchema, runDetailSchema, runListSchema } from './runs.ts'
import { freshTokenSchema, keySchema, openedSessionSchema, openSessionSchema } from './session.ts'
import { settingsSchema } from './settings.ts'
import { diffSchema, storyDetailSchema } from './stories.ts'
import { timelineEntryAnswerSchema, timelineQuerySchema, timelineSchema } from './timeline.ts'
import { logQuerySchema, logSchema, verificationListSchema, verificationSchema } from './verifications.ts'

/** One route; parts of `path` that start with a colon are named. */
export interface Route {
  readonly method: 'get' | 'post'
  readonly path: string
  /** What it does, in a few words. */
  readonly what: string
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /**
   * What is answered with `status` (200 without it); null for what is no JSON. Anything else is an
   * `ApiError`.
   */
  readonly answer: z.ZodType | null
  readonly status?: 200 | 202 | 204
  /** Without it a GET needs a session, and what acts (a POST) a session and a fresh token. */
  readonly needs?: 'nothing' | 'session'
}

/**
 * All routes. Each but `/session` wants the session; each that is a POST wants an `Origin` of the
 * server itself, a body of type `application/json` and, unless it says otherwise, a fresh token.
 * The server's routes and its OpenAPI document are made from this.
 */
export const routes = {
  openSession: {
    method: 'post',
    path: '/session',
    what: 'exchange the token of a printed link for a session',
    body: openSessionSchema,
    answer: openedSessionSchema,
    needs: 'nothing',
  },
  freshToken: {
    method: 'post',
    path: '/api/session/token',
    what: 'a token for requests that act, good for minutes',
    body: keySchema,
    answer: freshTokenSchema,
    needs: 'session',
  },
  endSessions: {
    method: 'post',
    path: '/api/session/end',
    what: 'sign out: end all sessions and links of this installation',
    body: nothingSchema,
    answer: null,
    status: 204,
    needs: 'session',
  },
  openapi: { method: 'get', path: '/api/openapi.json', what: 'this list as an OpenAPI document', answer: null },
  events: {
    method: 'get',
    path: '/api/events',
    what: 'the event stream (SSE) of all Runs',
    query: eventStreamQuerySchema,
    answer: null,
  },
  runs: {
    method: 'get',
    path: '/api/runs',
    what: 'all Runs, newest first, and what waits for a human',
    answer: runListSchema,
  },
  run: { method: 'get', path: '/api/runs/:run', what: 'one Run with its stories', answer: runDetailSchema },
  runDiff: {
    method: 'get',
    path: '/api/runs/:run/diff',
    what: 'all that a Run has merged, or its only story has changed',
    answer: diffSchema,
  },
  runTimeline: {
    method: 'get',
    path: '/api/runs/:run/timeline',
    what: 'model and tool calls of a Run, newest first',
    query: timelineQuerySchema,
    answer: timelineSchema,
  },
  timelineEntry: {
    method: 'get',
    path: '/api/runs/:run/timeline/:cursor',
    what: 'one model or tool call, with far more of its input and output',
    answer: timelineEntryAnswerSchema,
  },
  runEvents: {
    method: 'get',
    path: '/api/runs/:run/events',
    what: 'the event log of a Run, newest first',
    query: eventListQuerySchema,
    answer: eventListSchema,
  },
  runVerifications: {
    method: 'get',
    path: '/api/runs/:run/verifications',
    what: 'the verifications of a Run, newest first',
    answer: verificationListSchema,
  },
  chat: { method: 'get', path: '/api/runs/:run/chat', what: 'what was said in a Run', answer: chatSchema },
  remarks: {
    method: 'get',
    path: '/api/runs/:run/remarks',
    what: 'what people have remarked on a change, and the fate of each remark',
    answer: remarkListSchema,
  },
  report: {
    method: 'get',
    path: '/api/runs/:run/report',
    what: 'what became of a Run, as Markdown',
    answer: reportSchema,
  },
  figures: { method: 'get', path: '/api/runs/:run/figures', what: 'figures to draw', answer: figuresSchema },
  story: {
    method: 'get',
    path: '/api/runs/:run/stories/:story',
    what: 'one story with all that is known of it',
    answer: storyDetailSchema,
  },
  storyDiff: {
    method: 'get',
    path: '/api/runs/:run/stories/:story/diff',
    what: 'what a story has changed, as of its newest snapshot',
    answer: diffSchema,
  },
  storyTimeline: {
    method: 'get',
    path: '/api/runs/:run/stories/:story/timeline',
    what: 'model and tool calls of a story, newest first',
    query: timelineQuerySchema,
    answer: timelineSchema,
  },
  verification: {
    method: 'get',
    path: '/api/verifications/:run_id',
    what: 'one verification',
    answer: verificationSchema,
  },
  verificationLog: {
    method: 'get',
    path: '/api/verifications/:run_id/log',
    what: 'its log',
    query: logQuerySchema,
    answer: logSchema,
  },
  ...finishRoutes,
  machines: { method: 'get', path: '/api/machines', what: 'the transition tables', answer: machinesSchema },
  settings: {
    method: 'get',
    path: '/api/settings',
    what: 'what holds, and where it comes from',
    answer: settingsSchema,
  },
  startRun: {
    method: 'post',
    path: '/api/runs',
    what: 'build a spec',
    body: startRunSchema,
    answer: handedSchema,
    status: 202,
  },
  startInterview: {
    method: 'post',
    path: '/api/interviews',
    what: 'write a spec with the user',
    body: startInterviewSchema,
    answer: handedSchema,
    status: 202,
  },
  startTask: {
    method: 'post',
    path: '/api/tasks',
    what: 'do one task',
    body: startTaskSchema,
    answer: handedSchema,
    status: 202,
  },
  cancel: {
    method: 'post',
    path: '/api/runs/:run/cancel',
    what: 'end a Run; its work is kept',
    body: nothingSchema,
    answer: handedSchema,
    status: 202,
  },
  pause: {
    method: 'post',
    path: '/api/runs/:run/pause',
    what: 'begin nothing more of a Run until it is resumed; what is under way ends',
    body: nothingSchema,
    answer: handedSchema,
    status: 202,
  },
  resume: {
    method: 'post',
    path: '/api/runs/:run/resume',
    what: 'continue a Run that stopped in ERROR or is PAUSED',
    body: nothingSchema,
    answer: handedSchema,
    status: 202,
  },
  accept: {
    method: 'post',
    path: '/api/runs/:run/accept',
    what: 'take findings on a task’s result, or on a story, as they are',
    body: acceptSchema,
    answer: handedSchema,
    status: 202,
  },
  retry: {
    method: 'post',
    path: '/api/runs/:run/retry',
    what: 'start a stuck task or story again',
    body: retrySchema,
    answer: handedSchema,
    status: 202,
  },
  budget: {
    method: 'post',
    path: '/api/runs/:run/budget',
    what: 'raise the budget and continue',
    body: raiseBudgetSchema,
    answer: handedSchema,
    status: 202,
  },
  post: {
    method: 'post',
    path: '/api/runs/:run/posts',
    what: 'say something to a Run or a story',
    body: postSchema,
    answer: handedSchema,
    status: 202,
  },
  submitReview: {
    method: 'post',
    path: '/api/runs/:run/remarks',
    what: 'remark on lines of a change, a batch at once',
    body: submitReviewSchema,
    answer: submittedReviewSchema,
    status: 202,
  },
  reply: {
    method: 'post',
    path: '/api/messages/:id/reply',
    what: 'answer a question',
    body: replySchema,
    answer: handedSchema,
    status: 202,
  },
} as const satisfies Readonly<Record<string, Route>>

export type RouteName = keyof typeof routes
