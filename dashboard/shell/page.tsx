import type { ReactElement } from 'react'
import type { Escalation } from '../../src/api/chat.ts'
import type { RunList } from '../../src/api/runs.ts'
import { isAlone, keepsTokens, may } from '../data/may.ts'
import { Activity } from '../pages/activity.tsx'
import { Agents } from '../pages/agents/agents.tsx'
import { Board } from '../pages/board/board.tsx'
import { ChatPage } from '../pages/chat/chat-page.tsx'
import { Questions } from '../pages/questions.tsx'
import { ReportPage } from '../pages/report-page.tsx'
import { Runs } from '../pages/runs.tsx'
import { lazyPart } from '../parts/lazy-part.tsx'
import { Empty, Loading } from '../parts/notice.tsx'
import { OtherRole } from '../parts/other-role.tsx'
import { href, type Route } from '../router.ts'
import { isIn, type PageName, pageNames, type RunPageName, runPageNames } from './page-names.ts'

/** Charts are large and rarely viewed, so they are loaded on demand. */
const FiguresPage = lazyPart(
  () => import('../pages/figures/figures-page.tsx').then(({ FiguresPage }) => FiguresPage),
  () => <Loading what="the figures" />,
)

const StoryPage = lazyPart(
  () => import('../pages/story/story-page.tsx').then(({ StoryPage }) => StoryPage),
  () => <Loading what="the story" />,
)

const StartPage = lazyPart(
  () => import('../pages/start/start-page.tsx').then(({ StartPage }) => StartPage),
  () => <Loading what="the form" />,
)

const Verifications = lazyPart(
  () => import('../pages/verifications/verifications.tsx').then(({ Verifications }) => Verifications),
  () => <Loading what="the verifications" />,
)

const SettingsPage = lazyPart(
  () => import('../pages/settings/settings-page.tsx').then(({ SettingsPage }) => SettingsPage),
  () => <Loading what="the settings" />,
)

const Changes = lazyPart(
  () => import('../pages/changes.tsx').then(({ Changes }) => Changes),
  () => <Loading what="the changes" />,
)

const SchedulePage = lazyPart(
  () => import('../pages/schedule/schedule-page.tsx').then(({ SchedulePage }) => SchedulePage),
  () => <Loading what="the schedule" />,
)

const PlanPage = lazyPart(
  () => import('../pages/plan/plan-page.tsx').then(({ PlanPage }) => PlanPage),
  () => <Loading what="the plan" />,
)

const RepositoriesPage = lazyPart(
  () => import('../pages/repositories/repositories-page.tsx').then(({ RepositoriesPage }) => RepositoriesPage),
  () => <Loading what="the repositories" />,
)

const ReceiptsPage = lazyPart(
  () => import('../pages/receipts/receipts-page.tsx').then(({ ReceiptsPage }) => ReceiptsPage),
  () => <Loading what="the receipts" />,
)

const ComparePage = lazyPart(
  () => import('../pages/compare/compare-page.tsx').then(({ ComparePage }) => ComparePage),
  () => <Loading what="the comparison" />,
)

const BenchesPage = lazyPart(
  () => import('../pages/benches/benches-page.tsx').then(({ BenchesPage }) => BenchesPage),
  () => <Loading what="the benches" />,
)

const BenchPage = lazyPart(
  () => import('../pages/benches/bench-page.tsx').then(({ BenchPage }) => BenchPage),
  () => <Loading what="the benches" />,
)

const AttemptPage = lazyPart(
  () => import('../pages/benches/attempt-page.tsx').then(({ AttemptPage }) => AttemptPage),
  () => <Loading what="the benches" />,
)

const TokensPage = lazyPart(
  () => import('../pages/tokens/tokens-page.tsx').then(({ TokensPage }) => TokensPage),
  () => <Loading what="the tokens" />,
)

const WorkersPage = lazyPart(
  () => import('../pages/workers/workers-page.tsx').then(({ WorkersPage }) => WorkersPage),
  () => <Loading what="the workers" />,
)

const AcceptancePage = lazyPart(
  () => import('../pages/acceptance/acceptance-page.tsx').then(({ AcceptancePage }) => AcceptancePage),
  () => <Loading what="the criteria" />,
)

const SchedulesPage = lazyPart(
  () => import('../pages/schedules/schedules-page.tsx').then(({ SchedulesPage }) => SchedulesPage),
  () => <Loading what="the schedules" />,
)

interface PageProps {
  readonly list: RunList
  /** The parts of the address after the name. */
  readonly rest: readonly string[]
}

/** Null if the signed-in person may not see the page. */
const pages: Readonly<Record<PageName, (props: PageProps) => ReactElement | null>> = {
  '': ({ list }) => <Runs list={list} />,
  questions: ({ list }) => <Questions list={list} />,
  start: () => <StartPage />,
  compare: ({ list, rest: [a = '-', b = ''] }) => <ComparePage runs={list.runs} a={a === '-' ? '' : a} b={b} />,
  settings: () => (may('admin') ? <SettingsPage /> : <OtherRole needs="admin" />),
  tokens: () => (keepsTokens() ? <TokensPage /> : null),
  workers: () => (isAlone() ? null : <WorkersPage />),
  repositories: () => (isAlone() ? <RepositoriesPage /> : null),
  benches({ rest: [bench, attempt] }) {
    if (!isAlone()) return null
    if (bench === undefined) return <BenchesPage />
    return attempt === undefined ? <BenchPage id={bench} /> : <AttemptPage bench={bench} name={attempt} />
  },
  schedules: () => <SchedulesPage />,
  receipts: ({ list, rest: [state = null, words = ''] }) => (
    <ReceiptsPage runs={new Set(list.runs.map((each) => each.run))} state={state} words={words} />
  ),
}

interface RunPageProps {
  readonly run: string
  readonly questions: readonly Escalation[]
  readonly id: string | null
}

const runPages: Readonly<Record<RunPageName, (props: RunPageProps) => ReactElement | null>> = {
  '': ({ run, questions }) => <Board run={run} questions={questions} />,
  plan: ({ run }) => <PlanPage run={run} />,
  schedule: ({ run }) => <SchedulePage run={run} />,
  agents: ({ run, id }) => <Agents run={run} chosen={id} />,
  chat: ({ run, questions }) => <ChatPage run={run} questions={questions} />,
  verifications: ({ run, id }) => <Verifications run={run} chosen={id} />,
  acceptance: ({ run }) => <AcceptancePage run={run} />,
  activity: ({ run, id }) => <Activity run={run} shown={id ?? 'events'} />,
  diff: ({ run, id }) => <Changes run={run} focus={id} />,
  report: ({ run }) => <ReportPage run={run} />,
  figures: ({ run }) => <FiguresPage run={run} />,
}

/** The page of an address. */
export function Page({ route, list }: { readonly route: Route; readonly list: RunList }) {
  const [first = '', ...rest] = route.path
  const [run, place = '', id = null, tab = 'overview', focus = null] = rest
  if (first !== 'runs' || run === undefined) {
    return (isIn(pageNames, first) && pages[first]({ list, rest })) || <Nowhere />
  }
  const questions = list.escalations.filter((each) => each.run === run)
  if (place === 'stories' && id !== null) {
    return <StoryPage run={run} story={id} tab={tab} focus={focus} questions={questions} />
  }
  const name = place === 'stories' ? '' : place
  return isIn(runPageNames, name) ? runPages[name]({ run, questions, id }) : <Nowhere />
}

function Nowhere() {
  return (
    <div className="page narrow">
      <Empty icon="help" title="There is no such page" isPage>
        <a className="button" href={href()}>
          All runs
        </a>
      </Empty>
    </div>
  )
}
