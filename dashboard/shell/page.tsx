import { Suspense } from 'react'
import type { RunList } from '../../src/api/runs.ts'
import { isAlone, keepsTokens, may } from '../data/may.ts'
import { Activity } from '../pages/activity.tsx'
import { Agents } from '../pages/agents/agents.tsx'
import { Board } from '../pages/board/board.tsx'
import { Changes } from '../pages/changes.tsx'
import { ChatPage } from '../pages/chat/chat-page.tsx'
import { Questions } from '../pages/questions.tsx'
import { ReportPage } from '../pages/report-page.tsx'
import { Runs } from '../pages/runs.tsx'
import { SettingsPage } from '../pages/settings/settings-page.tsx'
import { StartPage } from '../pages/start/start-page.tsx'
import { StoryPage } from '../pages/story/story-page.tsx'
import { Verifications } from '../pages/verifications/verifications.tsx'
import { lazyPart } from '../parts/lazy-part.ts'
import { Empty, Loading } from '../parts/notice.tsx'
import { OtherRole } from '../parts/other-role.tsx'
import { href, type Route } from '../router.ts'

/** Charts are large and rarely looked at: they are loaded when they are. */
const FiguresPage = lazyPart(() => import('../pages/figures/figures-page.tsx').then(({ FiguresPage }) => FiguresPage))

const SchedulePage = lazyPart(() =>
  import('../pages/schedule/schedule-page.tsx').then(({ SchedulePage }) => SchedulePage),
)

const PlanPage = lazyPart(() => import('../pages/plan/plan-page.tsx').then(({ PlanPage }) => PlanPage))

const RepositoriesPage = lazyPart(() =>
  import('../pages/repositories/repositories-page.tsx').then(({ RepositoriesPage }) => RepositoriesPage),
)

const ReceiptsPage = lazyPart(() =>
  import('../pages/receipts/receipts-page.tsx').then(({ ReceiptsPage }) => ReceiptsPage),
)

const TokensPage = lazyPart(() => import('../pages/tokens/tokens-page.tsx').then(({ TokensPage }) => TokensPage))

/** The page of an address. */
export function Page({ route, list }: { readonly route: Route; readonly list: RunList }) {
  const [first, run, ...rest] = route.path
  if (first === undefined) return <Runs list={list} />
  if (first === 'questions') return <Questions list={list} />
  if (first === 'start') return <StartPage />
  if (first === 'settings') return may('admin') ? <SettingsPage /> : <OtherRole needs="admin" />
  if (first === 'tokens' && keepsTokens())
    return (
      <Suspense fallback={<Loading what="the tokens" />}>
        <TokensPage />
      </Suspense>
    )
  if (first === 'repositories' && isAlone())
    return (
      <Suspense fallback={<Loading what="the repositories" />}>
        <RepositoriesPage />
      </Suspense>
    )
  if (first === 'receipts')
    return (
      <Suspense fallback={<Loading what="the receipts" />}>
        <ReceiptsPage runs={new Set(list.runs.map((each) => each.run))} state={run ?? null} words={rest[0] ?? ''} />
      </Suspense>
    )
  if (first === 'runs' && run !== undefined) return <OfRun run={run} rest={rest} list={list} />
  return <Nowhere />
}

function OfRun({
  run,
  rest,
  list,
}: {
  readonly run: string
  readonly rest: readonly string[]
  readonly list: RunList
}) {
  const [place, id, tab, part] = rest
  const questions = list.escalations.filter((each) => each.run === run)
  switch (place) {
    case undefined:
      return <Board run={run} questions={questions} />
    case 'stories':
      return id === undefined ? (
        <Board run={run} questions={questions} />
      ) : (
        <StoryPage run={run} story={id} tab={tab ?? 'overview'} focus={part ?? null} questions={questions} />
      )
    case 'plan':
      return (
        <Suspense fallback={<Loading what="the plan" />}>
          <PlanPage run={run} />
        </Suspense>
      )
    case 'agents':
      return <Agents run={run} chosen={id ?? null} />
    case 'chat':
      return <ChatPage run={run} questions={questions} />
    case 'verifications':
      return <Verifications run={run} chosen={id ?? null} />
    case 'activity':
      return <Activity run={run} shown={id ?? 'events'} />
    case 'diff':
      return <Changes run={run} focus={id ?? null} />
    case 'report':
      return <ReportPage run={run} />
    case 'schedule':
      return (
        <Suspense fallback={<Loading what="the schedule" />}>
          <SchedulePage run={run} />
        </Suspense>
      )
    case 'figures':
      return (
        <Suspense fallback={<Loading what="the figures" />}>
          <FiguresPage run={run} />
        </Suspense>
      )
    default:
      return <Nowhere />
  }
}

function Nowhere() {
  return (
    <div className="page narrow">
      <Empty icon="help" title="There is no such page">
        <a className="button" href={href()}>
          All runs
        </a>
      </Empty>
    </div>
  )
}
