import type { z } from 'zod'
import type { Route, RouteName, routes } from '../../api/routes.ts'
import type { DashboardAnswers } from './answers.ts'
import { readChat } from './chat.ts'
import { readRunDiff, readStoryDiff } from './diffs.ts'
import { readEvents } from './event-list.ts'
import { readFigures } from './figures.ts'
import { machineTables } from './machine-tables.ts'
import type { Reading } from './reading.ts'
import { readRun, readRuns } from './runs.ts'
import { readStory } from './story.ts'
import { readTimeline, readTimelineEntry } from './timeline.ts'
import { readVerification, readVerificationLog, readVerifications } from './verifications.ts'

/** Routes that are no plain question with a JSON answer. */
export const special = [
  'openSession',
  'freshToken',
  'endSessions',
  'openapi',
  'events',
] as const satisfies readonly RouteName[]

type PlainName = Exclude<RouteName, (typeof special)[number]>

type Output<Given> = Given extends z.ZodType ? z.output<Given> : undefined

interface Asked<Of extends Route> {
  /** Parts of the path. */
  readonly at: Readonly<Record<string, string>>
  readonly query: Output<Of['query']>
  readonly body: Output<Of['body']>
}

/** What each route of the table answers. */
export type RouteAnswers = {
  readonly [Name in PlainName]: (
    asked: Asked<(typeof routes)[Name]>,
  ) => Promise<z.input<(typeof routes)[Name]['answer']>>
}

export function createRouteAnswers(reading: Reading, answers: DashboardAnswers): RouteAnswers {
  return {
    runs: () => readRuns(reading),
    run: ({ at }) => readRun(reading, at.run ?? ''),
    runDiff: ({ at }) => readRunDiff(reading, at.run ?? ''),
    runTimeline: ({ at, query }) => readTimeline(reading, { run: at.run ?? '', ...query }),
    timelineEntry: async ({ at }) => ({ entry: await readTimelineEntry(reading, at.run ?? '', at.cursor ?? '') }),
    runEvents: ({ at, query }) => readEvents(reading, at.run ?? '', query),
    runVerifications: ({ at }) => readVerifications(reading, at.run ?? ''),
    chat: ({ at }) => readChat(reading, at.run ?? ''),
    report: async ({ at }) => ({ markdown: await answers.report(at.run ?? '') }),
    figures: ({ at }) => readFigures(reading, at.run ?? ''),
    story: ({ at }) => readStory(reading, at.run ?? '', at.story ?? ''),
    storyDiff: ({ at }) => readStoryDiff(reading, at.run ?? '', at.story ?? ''),
    storyTimeline: ({ at, query }) =>
      readTimeline(reading, { run: at.run ?? '', ...(at.story !== undefined && { story: at.story }), ...query }),
    verification: ({ at }) => readVerification(reading, at.run_id ?? ''),
    verificationLog: ({ at, query }) => readVerificationLog(reading, at.run_id ?? '', query.step),
    machines: async () => machineTables(),
    settings: () => answers.settings(),
    startRun: ({ body }) => answers.startRun(body),
    startTask: ({ body }) => answers.startTask(body),
    cancel: ({ at }) => answers.cancel(at.run ?? ''),
    pause: ({ at }) => answers.pause(at.run ?? ''),
    accept: ({ at, body }) => answers.accept(at.run ?? '', body),
    resume: ({ at }) => answers.resume(at.run ?? ''),
    retry: ({ at, body }) => answers.retry(at.run ?? '', body),
    budget: ({ at, body }) => answers.budget(at.run ?? '', body),
    post: ({ at, body }) => answers.post(at.run ?? '', body),
    reply: ({ at, body }) => answers.reply(at.id ?? '', body),
  }
}
