import type { Choices } from '../../../api/choices.ts'
import type { Finish } from '../../../api/finish.ts'
import type { InputOf, OutputOf } from '../../../api/route.ts'
import type { RouteName, routes } from '../../../api/routes.ts'
import type { Settings } from '../../../api/settings.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { clientProtocol } from '../../../domain/hub/client-protocol.ts'
import type { SharedState } from '../../../domain/worker/shared-state.ts'
import type { Elsewhere } from '../../elsewhere.ts'
import { readRunAcceptance } from '../../views/acceptance/read-acceptance.ts'
import { findStoryTests } from '../../views/acceptance/read-story-tests.ts'
import type { BenchViews } from '../../views/bench/benches.ts'
import { readChat } from '../../views/chat.ts'
import { compareRuns } from '../../views/compare/compare-runs.ts'
import { readRunDiff, readStoryDiff } from '../../views/diff/diffs.ts'
import { readLines } from '../../views/diff/lines.ts'
import { createLiveSnapshots } from '../../views/diff/live-snapshot.ts'
import { readFigures } from '../../views/figures.ts'
import { readEvents } from '../../views/history/event-list.ts'
import { readHistory } from '../../views/history/history.ts'
import type { createRepositoryFacts } from '../../views/hub/repository-facts.ts'
import { readWorkers } from '../../views/hub/workers.ts'
import { machineTables } from '../../views/machine-tables.ts'
import type { ReceiptViews } from '../../views/receipts/receipts.ts'
import { readRemarkList } from '../../views/remarks.ts'
import { readRun, readRuns } from '../../views/runs.ts'
import { readSchedule } from '../../views/schedule/schedule.ts'
import { createSearch } from '../../views/search/search.ts'
import { readStory } from '../../views/story.ts'
import { readTimeline, readTimelineEntry } from '../../views/timeline.ts'
import { findFiles } from '../../views/verification-files.ts'
import {
  findVerification,
  readVerification,
  readVerificationLog,
  readVerifications,
} from '../../views/verifications.ts'
import { findRun, type ViewSources } from '../../views/view-sources.ts'
import { elsewhereDoor, noHub } from '../doors.ts'
import type { Asker } from '../operation.ts'
import type { ActName } from '../operations.ts'

/** Reads that answer without JSON, or in their own way: streams, files and sessions. */
export const special = [
  ...(['openSession', 'startSignIn', 'finishSignIn', 'freshToken', 'endSessions'] as const),
  ...(['openapi', 'events', 'now', 'download', 'verificationFile', 'metrics'] as const),
] as const satisfies readonly RouteName[]

type ReadName = Exclude<RouteName, (typeof special)[number] | ActName>

/** All that is read, by the names of its routes. */
export type Reads = {
  readonly [Name in ReadName]: (
    input: InputOf<(typeof routes)[Name]>,
    asker: Asker,
  ) => Promise<OutputOf<(typeof routes)[Name]>>
}

/** The sources of answers beside the views of the state. */
export interface Reading {
  /** The report of a Run, as Markdown. */
  readonly report: (run: string) => Promise<string>
  readonly settings: () => Promise<Settings>
  readonly choices: () => Promise<Choices>
  /** For the worker whose token has this name. DrydockError `no_shared_state`. */
  readonly sharedState: (by: string | null) => Promise<SharedState>
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

export function createReads(sources: ViewSources, reading: Reading): Reads {
  const { report, settings, choices, finish, receipts, redact } = reading
  const live = createLiveSnapshots(sources)
  const search = createSearch(sources)
  const benches = () => benchesOf(reading)
  return {
    async hub({ commit }, { by, role }) {
      if (by === null) throw noHub()
      const facts = await reading.repositoryFacts(commit)
      return { ...facts, roots: [...facts.roots], name: by, role, version: sources.version, protocol: clientProtocol }
    },
    runs: () => readRuns(sources),
    search,
    repositories: () => elsewhereDoor(reading).list(),
    benches: () => benches().list(),
    bench: ({ bench }) => benches().one(bench),
    benchAttempt: ({ bench, attempt }) => benches().attempt(bench, attempt),
    run: ({ run }) => readRun(sources, run),
    runAcceptance: async ({ run }) => readRunAcceptance(sources.records, await findRun(sources, run)),
    runDiff: ({ run, ...query }) => readRunDiff(sources, run, query),
    runLines: ({ run, ...query }) => readLines({ ...sources, redact }, run, query),
    runTimeline: (query) => readTimeline(sources, query),
    timelineEntry: async ({ run, cursor }) => ({ entry: await readTimelineEntry(sources, run, cursor) }),
    runEvents: ({ run, ...query }) => readEvents(sources, run, query),
    runVerifications: ({ run }) => readVerifications(sources, run),
    chat: ({ run }) => readChat(sources, run),
    remarks: ({ run }) => readRemarkList(sources, run),
    report: async ({ run }) => ({ markdown: await report(run) }),
    finish: ({ run }) => finish(run),
    receipts: (query) => receipts.list(query),
    receiptChecks: ({ commits }) => receipts.check(commits),
    receipt: ({ commit }) => receipts.one(commit),
    figures: ({ run }) => readFigures(sources, run),
    schedule: ({ run }) => readSchedule(sources, run),
    history: ({ run, ...query }) => readHistory(sources, run, query),
    comparison: (query) => compareRuns(sources, query),
    story: ({ run, story }) => readStory(sources, run, story),
    storyTests: ({ run, story }) => findStoryTests(sources.records, `${run}/${story}`),
    storyDiff: ({ run, story, ...query }) => readStoryDiff({ ...sources, live }, { run, story }, query),
    storyTimeline: (query) => readTimeline(sources, query),
    async verificationFiles({ run_id }) {
      const { runId } = await findVerification(sources, run_id)
      const { files, from } = await findFiles(sources, runId)
      return { files: [...files], from }
    },
    verification: ({ run_id }) => readVerification(sources, run_id),
    verificationLog: ({ run_id, step }) => readVerificationLog(sources, run_id, step),
    sharedState: (_, { by }) => reading.sharedState(by),
    workers: () => readWorkers(sources),
    machines: async () => machineTables(),
    settings: () => settings(),
    choices: () => choices(),
  }
}

/** DrydockError `not_found` on a hub. */
export function benchesOf({ benches }: Pick<Reading, 'benches'>): BenchViews {
  if (benches !== null) return benches
  throw new DrydockError('not_found', 'A hub shows no runs of drydock bench.', {
    todo: 'Look at them with drydock serve on the machine that they ran on.',
  })
}
