import type { z } from 'zod'
import type { Finish } from '../../api/finish.ts'
import type { Route } from '../../api/route.ts'
import type { RouteName, routes } from '../../api/routes.ts'
import type { changeSettingSchema, OwnSetting, Settings } from '../../api/settings.ts'
import type { Commands } from '../../app/commands/commands.ts'
import { drainWorker } from '../../app/commands/hub/drain-workers.ts'
import { listHubTokens, revokeHubToken } from '../../app/commands/hub/hub-tokens.ts'
import type { Drydock } from '../../app/drydock.ts'
import type { Elsewhere } from '../../app/elsewhere.ts'
import { findStoryTests } from '../../app/views/acceptance/read-story-tests.ts'
import type { BenchViews } from '../../app/views/bench/benches.ts'
import { readChat } from '../../app/views/chat.ts'
import { compareRuns } from '../../app/views/compare/compare-runs.ts'
import { readRunDiff, readStoryDiff } from '../../app/views/diff/diffs.ts'
import { readLines } from '../../app/views/diff/lines.ts'
import { createLiveSnapshots } from '../../app/views/diff/live-snapshot.ts'
import { readFigures } from '../../app/views/figures.ts'
import { readEvents } from '../../app/views/history/event-list.ts'
import { readHistory } from '../../app/views/history/history.ts'
import { answerQueries } from '../../app/views/hub/answer-queries.ts'
import type { createRepositoryFacts } from '../../app/views/hub/repository-facts.ts'
import { readWorkers } from '../../app/views/hub/workers.ts'
import { machineTables } from '../../app/views/machine-tables.ts'
import { readPlan } from '../../app/views/plan/read-plan.ts'
import type { ReceiptViews } from '../../app/views/receipts/receipts.ts'
import { readRemarkList } from '../../app/views/remarks.ts'
import { readRun, readRuns } from '../../app/views/runs.ts'
import { readSchedule } from '../../app/views/schedule/schedule.ts'
import { createSearch } from '../../app/views/search/search.ts'
import { readStory } from '../../app/views/story.ts'
import { readTimeline, readTimelineEntry } from '../../app/views/timeline.ts'
import { findFiles } from '../../app/views/verification-files.ts'
import {
  findVerification,
  readVerification,
  readVerificationLog,
  readVerifications,
} from '../../app/views/verifications.ts'
import { findRun, type ViewSources } from '../../app/views/view-sources.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { clientProtocol } from '../../domain/hub/record-queries.ts'
import type { Role } from '../../domain/hub/role.ts'
import type { SharedState } from '../../domain/worker/shared-state.ts'
import type { Hub } from './hub/hub.ts'

/** Routes that are no plain question with a JSON answer. */
export const special = [
  'openSession',
  'startSignIn',
  'finishSignIn',
  'freshToken',
  'endSessions',
  'openapi',
  'events',
  'now',
  'download',
  'verificationFile',
  'metrics',
  'addToken',
] as const satisfies readonly RouteName[]

type PlainName = Exclude<RouteName, (typeof special)[number]>

/** What is answered with no content is undefined. */
type Input<Given> = Given extends z.ZodType ? z.input<Given> : undefined

type Output<Given> = Given extends z.ZodType ? z.output<Given> : undefined

interface Asked<Of extends Route> {
  /** Name of the hub's token that asks; null for the user of this machine. */
  readonly by: string | null
  readonly role: Role
  /** The same key again is the same command; null without one. */
  readonly key: string | null
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
  readonly commands: (by: string | null, key: string | null) => Commands
  /** Null for the dashboard of one user, which has no tokens. */
  readonly hub: Hub | null
  /** What became of a Run, as Markdown. */
  readonly report: (run: string) => Promise<string>
  readonly settings: () => Promise<Settings>
  /** Null on a hub, whose settings are its administrator's files. */
  readonly changeSetting: ((given: z.output<typeof changeSettingSchema>) => Promise<readonly OwnSetting[]>) | null
  /** For the worker whose token has this name. DrydockError `no_shared_state`. */
  readonly sharedState: (by: string | null) => Promise<SharedState>
  readonly drainWorkers: Drydock['drainWorkers']
  readonly repositoryFacts: ReturnType<typeof createRepositoryFacts>
  readonly finish: (run: string) => Promise<Finish>
  readonly receipts: ReceiptViews
  /** Null on a hub, which keeps to its repository. */
  readonly elsewhere: Elsewhere | null
  /** Null on a hub, whose users reach no files of its machine. */
  readonly benches: BenchViews | null
  /** Takes the user's keys out of what a browser gets. */
  readonly redact: (text: string) => string
}

export function createRouteAnswers(sources: ViewSources, answering: Answering): RouteAnswers {
  const { commands, report, settings, finish, receipts, redact } = answering
  const live = createLiveSnapshots(sources)
  const search = createSearch(sources)
  const hub = () => hubOf(answering)
  const elsewhere = () => elsewhereOf(answering)
  const benches = () => benchesOf(answering)
  return {
    async hub({ by, role, query }) {
      if (by === null) throw noHub()
      const facts = await answering.repositoryFacts(query.commit)
      return { ...facts, roots: [...facts.roots], name: by, role, version: sources.version, protocol: clientProtocol }
    },
    records: ({ body }) => answerQueries(sources, body),
    runs: () => readRuns(sources),
    search: ({ query }) => search(query),
    repositories: () => elsewhere().list(),
    benches: () => benches().list(),
    bench: ({ at }) => benches().one(at.bench ?? ''),
    benchAttempt: ({ at }) => benches().attempt(at.bench ?? '', at.attempt ?? ''),
    openRepository: ({ at }) => elsewhere().open(at.id ?? ''),
    replyElsewhere: ({ at, body }) => elsewhere().reply(at.id ?? '', body),
    run: ({ at }) => readRun(sources, at.run ?? ''),
    plan: async ({ at }) => readPlan(sources.records, await findRun(sources, at.run ?? '')),
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
    history: ({ at, query }) => readHistory(sources, at.run ?? '', query),
    comparison: ({ query }) => compareRuns(sources, query),
    story: ({ at }) => readStory(sources, at.run ?? '', at.story ?? ''),
    storyTests: ({ at }) => findStoryTests(sources.records, `${at.run}/${at.story}`),
    storyDiff: ({ at, query }) =>
      readStoryDiff({ ...sources, live }, { run: at.run ?? '', story: at.story ?? '' }, query),
    storyTimeline: ({ at, query }) =>
      readTimeline(sources, { run: at.run ?? '', ...(at.story !== undefined && { story: at.story }), ...query }),
    async verificationFiles({ at }) {
      const { runId } = await findVerification(sources, at.run_id ?? '')
      const { files, from } = await findFiles(sources, runId)
      return { files: [...files], from }
    },
    verification: ({ at }) => readVerification(sources, at.run_id ?? ''),
    verificationLog: ({ at, query }) => readVerificationLog(sources, at.run_id ?? '', query.step),
    sharedState: ({ by }) => answering.sharedState(by),
    workers: () => readWorkers(sources),
    async drainWorker({ by, at }) {
      const { audit } = hub()
      const { host } = await drainWorker({ ...sources, drainWorkers: answering.drainWorkers }, at.worker ?? '')
      audit({ what: 'worker_drained', by, worker: host })
      return { host }
    },
    machines: async () => machineTables(),
    settings: () => settings(),
    changeSetting: async ({ body }) => ({ own: [...(await changeSettingOf(answering)(body))] }),
    tokens: async () => ({ tokens: await listHubTokens(hub().rows, hub().now()) }),
    async revokeToken({ by, at }) {
      const name = at.name ?? ''
      await revokeHubToken(hub().rows, name)
      hub().audit({ what: 'token_revoked', by, token: name })
      return undefined
    },
    startRun: ({ by, key, body }) => commands(by, key).startRun(body),
    startInterview: ({ by, key, body }) => commands(by, key).startInterview(body),
    startTask: ({ by, key, body }) => commands(by, key).startTask(body),
    cancel: ({ by, key, at }) => commands(by, key).cancel(at.run ?? ''),
    pause: ({ by, key, at }) => commands(by, key).pause(at.run ?? ''),
    accept: ({ by, key, at, body }) => commands(by, key).accept(at.run ?? '', body),
    decideTests: ({ by, key, at, body }) => commands(by, key).decideTests(`${at.run}/${at.story}`, body),
    async land({ by, key, at, body }) {
      if (body.goal === 'apply' && answering.hub !== null) throw noWorkingTree()
      return commands(by, key).land(at.run ?? '', body)
    },
    resume: ({ by, key, at }) => commands(by, key).resume(at.run ?? ''),
    retry: ({ by, key, at, body }) => commands(by, key).retry(at.run ?? '', body),
    budget: ({ by, key, at, body }) => commands(by, key).budget(at.run ?? '', body),
    editPlan: ({ by, key, at, body }) => commands(by, key).editPlan(at.run ?? '', body),
    buildPlan: ({ by, key, at, body }) => commands(by, key).buildPlan(at.run ?? '', body),
    post: ({ by, key, at, body }) => commands(by, key).post(at.run ?? '', body),
    submitReview: ({ by, key, at, body }) => commands(by, key).submitReview(at.run ?? '', body),
    reply: ({ by, key, at, body }) => commands(by, key).reply(at.id ?? '', body),
  }
}

function noWorkingTree(): DrydockError {
  return new DrydockError('bad_usage', "The files of a hub are nobody's working tree.", {
    todo: 'Fetch the branch into your clone, and merge it there.',
  })
}

/** DrydockError `not_found` on a hub. */
function changeSettingOf({ changeSetting }: Answering): NonNullable<Answering['changeSetting']> {
  if (changeSetting !== null) return changeSetting
  throw new DrydockError('not_found', 'The settings of a hub cannot be changed from outside.', {
    todo: 'Change the files on its machine.',
  })
}

/** DrydockError `not_found` on a hub. */
function elsewhereOf({ elsewhere }: Pick<Answering, 'elsewhere'>): Elsewhere {
  if (elsewhere !== null) return elsewhere
  throw new DrydockError('not_found', 'A hub has one repository.', { todo: 'Start another hub for another one.' })
}

/** DrydockError `not_found` on a hub. */
export function benchesOf({ benches }: Pick<Answering, 'benches'>): BenchViews {
  if (benches !== null) return benches
  throw new DrydockError('not_found', 'A hub shows no runs of drydock bench.', {
    todo: 'Look at them with drydock serve on the machine that they ran on.',
  })
}

/** DrydockError `not_found` on a dashboard of one user. */
export function hubOf({ hub }: Pick<Answering, 'hub'>): Hub {
  if (hub !== null) return hub
  throw noHub()
}

function noHub(): DrydockError {
  return new DrydockError('not_found', 'This dashboard belongs to one user. It has no tokens.', {
    todo: 'A team uses: drydock hub',
  })
}
