import type { z } from 'zod'
import type { Finish } from '../../api/finish.ts'
import type { Route, RouteName, routes } from '../../api/routes.ts'
import type { Settings } from '../../api/settings.ts'
import type { Commands } from '../../app/commands/commands.ts'
import { readChat } from '../../app/views/chat.ts'
import { readRunDiff, readStoryDiff } from '../../app/views/diff/diffs.ts'
import { createLiveSnapshots } from '../../app/views/diff/live-snapshot.ts'
import { readEvents } from '../../app/views/event-list.ts'
import { readFigures } from '../../app/views/figures.ts'
import { machineTables } from '../../app/views/machine-tables.ts'
import type { ReceiptViews } from '../../app/views/receipts/receipts.ts'
import { readRemarkList } from '../../app/views/remarks.ts'
import { readRun, readRuns } from '../../app/views/runs.ts'
import { readStory } from '../../app/views/story.ts'
import { readTimeline, readTimelineEntry } from '../../app/views/timeline.ts'
import { readVerification, readVerificationLog, readVerifications } from '../../app/views/verifications.ts'
import type { ViewSources } from '../../app/views/view-sources.ts'

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

/** What each route of the table commands. */
export type RouteAnswers = {
  readonly [Name in PlainName]: (
    asked: Asked<(typeof routes)[Name]>,
  ) => Promise<z.input<(typeof routes)[Name]['answer']>>
}

/** What the answers are made from, beside the views of the state. */
export interface Answering {
  readonly commands: Commands
  /** What became of a Run, as Markdown. */
  readonly report: (run: string) => Promise<string>
  readonly settings: () => Promise<Settings>
  readonly finish: (run: string) => Promise<Finish>
  readonly receipts: ReceiptViews
}

export function createRouteAnswers(sources: ViewSources, answering: Answering): RouteAnswers {
  const { commands, report, settings, finish, receipts } = answering
  const live = createLiveSnapshots(sources)
  return {
    runs: () => readRuns(sources),
    run: ({ at }) => readRun(sources, at.run ?? ''),
    runDiff: ({ at }) => readRunDiff(sources, at.run ?? ''),
    runTimeline: ({ at, query }) => readTimeline(sources, { run: at.run ?? '', ...query }),
    timelineEntry: async ({ at }) => ({ entry: await readTimelineEntry(sources, at.run ?? '', at.cursor ?? '') }),
    runEvents: ({ at, query }) => readEvents(sources, at.run ?? '', query),
    runVerifications: ({ at }) => readVerifications(sources, at.run ?? ''),
    chat: ({ at }) => readChat(sources, at.run ?? ''),
    remarks: ({ at }) => readRemarkList(sources, at.run ?? ''),
    report: async ({ at }) => ({ markdown: await report(at.run ?? '') }),
    finish: ({ at }) => finish(at.run ?? ''),
    receipts: ({ query }) => receipts.list(query),
    receiptChecks: ({ query }) => receipts.check(query.commits),
    receipt: ({ at }) => receipts.one(at.commit ?? ''),
    figures: ({ at }) => readFigures(sources, at.run ?? ''),
    story: ({ at }) => readStory(sources, at.run ?? '', at.story ?? ''),
    storyDiff: ({ at }) => readStoryDiff({ ...sources, live }, at.run ?? '', at.story ?? ''),
    storyTimeline: ({ at, query }) =>
      readTimeline(sources, { run: at.run ?? '', ...(at.story !== undefined && { story: at.story }), ...query }),
    verification: ({ at }) => readVerification(sources, at.run_id ?? ''),
    verificationLog: ({ at, query }) => readVerificationLog(sources, at.run_id ?? '', query.step),
    machines: async () => machineTables(),
    settings: () => settings(),
    startRun: ({ body }) => commands.startRun(body),
    startInterview: ({ body }) => commands.startInterview(body),
    startTask: ({ body }) => commands.startTask(body),
    cancel: ({ at }) => commands.cancel(at.run ?? ''),
    pause: ({ at }) => commands.pause(at.run ?? ''),
    accept: ({ at, body }) => commands.accept(at.run ?? '', body),
    land: ({ at, body }) => commands.land(at.run ?? '', body),
    resume: ({ at }) => commands.resume(at.run ?? ''),
    retry: ({ at, body }) => commands.retry(at.run ?? '', body),
    budget: ({ at, body }) => commands.budget(at.run ?? '', body),
    post: ({ at, body }) => commands.post(at.run ?? '', body),
    submitReview: ({ at, body }) => commands.submitReview(at.run ?? '', body),
    reply: ({ at, body }) => commands.reply(at.id ?? '', body),
  }
}
