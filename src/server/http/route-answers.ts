import type { z } from 'zod'
import type { Finish } from '../../api/finish.ts'
import type { Route } from '../../api/route.ts'
import type { RouteName, routes } from '../../api/routes.ts'
import type { Settings } from '../../api/settings.ts'
import type { Commands } from '../../app/commands/commands.ts'
import { listHubTokens, revokeHubToken } from '../../app/commands/hub/hub-tokens.ts'
import { readChat } from '../../app/views/chat.ts'
import { readRunDiff, readStoryDiff } from '../../app/views/diff/diffs.ts'
import { readLines } from '../../app/views/diff/lines.ts'
import { createLiveSnapshots } from '../../app/views/diff/live-snapshot.ts'
import { readEvents } from '../../app/views/event-list.ts'
import { readFigures } from '../../app/views/figures.ts'
import { machineTables } from '../../app/views/machine-tables.ts'
import type { ReceiptViews } from '../../app/views/receipts/receipts.ts'
import { readRemarkList } from '../../app/views/remarks.ts'
import { readRun, readRuns } from '../../app/views/runs.ts'
import { readSchedule } from '../../app/views/schedule/schedule.ts'
import { createSearch } from '../../app/views/search/search.ts'
import { readStory } from '../../app/views/story.ts'
import { readTimeline, readTimelineEntry } from '../../app/views/timeline.ts'
import { readVerification, readVerificationLog, readVerifications } from '../../app/views/verifications.ts'
import type { ViewSources } from '../../app/views/view-sources.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { Hub } from './hub/hub.ts'

/** Routes that are no plain question with a JSON answer. */
export const special = [
  'openSession',
  'freshToken',
  'endSessions',
  'openapi',
  'events',
  'now',
  'download',
  'addToken',
] as const satisfies readonly RouteName[]

type PlainName = Exclude<RouteName, (typeof special)[number]>

/** What is answered with no content is undefined. */
type Input<Given> = Given extends z.ZodType ? z.input<Given> : undefined

type Output<Given> = Given extends z.ZodType ? z.output<Given> : undefined

interface Asked<Of extends Route> {
  /** Name of the hub's token that asks; null for the user of this machine. */
  readonly by: string | null
  /** Parts of the path. */
  readonly at: Readonly<Record<string, string>>
  readonly query: Output<Of['query']>
  readonly body: Output<Of['body']>
}

/** What each route of the table commands. */
export type RouteAnswers = {
  readonly [Name in PlainName]: (asked: Asked<(typeof routes)[Name]>) => Promise<Input<(typeof routes)[Name]['answer']>>
}

/** What the answers are made from, beside the views of the state. */
export interface Answering {
  /** Acting for whom the route has admitted. */
  readonly commands: (by: string | null) => Commands
  /** Null for the dashboard of one user, which has no tokens. */
  readonly hub: Hub | null
  /** What became of a Run, as Markdown. */
  readonly report: (run: string) => Promise<string>
  readonly settings: () => Promise<Settings>
  readonly finish: (run: string) => Promise<Finish>
  readonly receipts: ReceiptViews
  /** Takes the user's keys out of what a browser gets. */
  readonly redact: (text: string) => string
}

export function createRouteAnswers(sources: ViewSources, answering: Answering): RouteAnswers {
  const { commands, report, settings, finish, receipts, redact } = answering
  const live = createLiveSnapshots(sources)
  const search = createSearch(sources)
  const hub = () => hubOf(answering)
  return {
    runs: () => readRuns(sources),
    search: ({ query }) => search(query),
    run: ({ at }) => readRun(sources, at.run ?? ''),
    runDiff: ({ at, query }) => readRunDiff(sources, at.run ?? '', query),
    runLines: ({ at, query }) => readLines({ ...sources, redact }, at.run ?? '', query),
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
    schedule: ({ at }) => readSchedule(sources, at.run ?? ''),
    story: ({ at }) => readStory(sources, at.run ?? '', at.story ?? ''),
    storyDiff: ({ at, query }) =>
      readStoryDiff({ ...sources, live }, { run: at.run ?? '', story: at.story ?? '' }, query),
    storyTimeline: ({ at, query }) =>
      readTimeline(sources, { run: at.run ?? '', ...(at.story !== undefined && { story: at.story }), ...query }),
    verification: ({ at }) => readVerification(sources, at.run_id ?? ''),
    verificationLog: ({ at, query }) => readVerificationLog(sources, at.run_id ?? '', query.step),
    machines: async () => machineTables(),
    settings: () => settings(),
    tokens: async () => ({ tokens: await listHubTokens(hub().rows, hub().now()) }),
    async revokeToken({ by, at }) {
      const name = at.name ?? ''
      await revokeHubToken(hub().rows, name)
      hub().audit({ what: 'token_revoked', by, token: name })
      return undefined
    },
    startRun: ({ by, body }) => commands(by).startRun(body),
    startInterview: ({ by, body }) => commands(by).startInterview(body),
    startTask: ({ by, body }) => commands(by).startTask(body),
    cancel: ({ by, at }) => commands(by).cancel(at.run ?? ''),
    pause: ({ by, at }) => commands(by).pause(at.run ?? ''),
    accept: ({ by, at, body }) => commands(by).accept(at.run ?? '', body),
    land: ({ by, at, body }) => commands(by).land(at.run ?? '', body),
    resume: ({ by, at }) => commands(by).resume(at.run ?? ''),
    retry: ({ by, at, body }) => commands(by).retry(at.run ?? '', body),
    budget: ({ by, at, body }) => commands(by).budget(at.run ?? '', body),
    post: ({ by, at, body }) => commands(by).post(at.run ?? '', body),
    submitReview: ({ by, at, body }) => commands(by).submitReview(at.run ?? '', body),
    reply: ({ by, at, body }) => commands(by).reply(at.id ?? '', body),
  }
}

/** DrydockError `not_found` on a dashboard of one user. */
export function hubOf({ hub }: Pick<Answering, 'hub'>): Hub {
  if (hub !== null) return hub
  throw new DrydockError('not_found', 'This dashboard belongs to one user. It has no tokens.', {
    todo: 'A team uses: drydock hub',
  })
}
