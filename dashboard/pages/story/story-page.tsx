import { type ReactNode, useState } from 'react'
import type { Escalation } from '../../../src/api/chat.ts'
import type { StoryDetail } from '../../../src/api/stories.ts'
import { may } from '../../data/may.ts'
import { useRun, useStory } from '../../data/queries.ts'
import { Icon } from '../../parts/icon.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { StoryNow } from '../../parts/now/story-now.tsx'
import { Pill } from '../../parts/pill.tsx'
import { BriefQuestion, Question } from '../../parts/question.tsx'
import { useDiffSoon } from '../../parts/review/review-panel.tsx'
import { Cost, SpendingTable } from '../../parts/spending.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Age } from '../../parts/time.tsx'
import { href } from '../../router.ts'
import { isIn, type StoryTabName, storyTabNames } from '../../shell/page-names.ts'
import { ended } from '../../state-family.ts'
import { RetryDialog } from '../board/retry-dialog.tsx'
import { Overview } from './overview.tsx'
import { Reviews } from './reviews.tsx'
import { Scouts } from './scouts.tsx'
import { StoryDiff } from './story-diff.tsx'
import { StoryVerifications } from './story-verifications.tsx'
import { TimelineView } from './timeline-view.tsx'

interface Props {
  readonly run: string
  readonly story: string
  readonly tab: string
  /** The finding in the address. */
  readonly focus: string | null
  readonly questions: readonly Escalation[]
}

/** Everything that is known about a story. */
export function StoryPage({ run, story, tab, focus, questions }: Props) {
  const query = useStory(run, story)
  useDiffSoon()
  return (
    <div className="page">
      <Loaded query={query} what="the story">
        {(detail) => (
          <>
            <Head run={run} detail={detail} />
            {questions
              .filter((asked) => asked.story === story)
              .map((asked) =>
                tab === 'overview' ? (
                  <Question key={asked.id} asked={asked} />
                ) : (
                  <BriefQuestion key={asked.id} asked={asked} to={href('runs', run, 'stories', story)} />
                ),
              )}
            <Tabs
              label="Of this story"
              current={tab}
              tabs={tabsOf(detail).map((each) => ({
                ...each,
                to: href('runs', run, 'stories', story, ...(each.id === 'overview' ? [] : [each.id])),
              }))}
            />
            {tabs[isIn(storyTabNames, tab) ? tab : 'overview']({ run, detail, focus })}
          </>
        )}
      </Loaded>
    </div>
  )
}

const titles: Readonly<Record<StoryTabName, string>> = {
  overview: 'Overview',
  diff: 'Diff',
  verifications: 'Verifications',
  reviews: 'Reviews',
  scouts: 'Scouts',
  timeline: 'Timeline',
  cost: 'Cost',
}

function tabsOf({ scouts, runs, requests, findings }: StoryDetail) {
  const counts: Partial<Record<StoryTabName, number>> = {
    verifications: runs.length,
    reviews: requests.length || findings,
    scouts: scouts.length,
  }
  return storyTabNames.map((id) => {
    const count = counts[id]
    return { id, title: titles[id], ...(count !== undefined && { count }) }
  })
}

interface TabProps {
  readonly run: string
  readonly detail: StoryDetail
  readonly focus: string | null
}

const tabs: Readonly<Record<StoryTabName, (props: TabProps) => ReactNode>> = {
  overview: ({ run, detail }) => (
    <div className="stack">
      <StoryNow run={run} detail={detail} />
      <Overview run={run} detail={detail} />
    </div>
  ),
  diff: ({ run, detail, focus }) => <StoryDiff run={run} detail={detail} focus={focus} />,
  verifications: ({ run, detail }) => <StoryVerifications run={run} detail={detail} />,
  reviews: ({ detail, focus }) => <Reviews detail={detail} focus={focus} />,
  scouts: ({ detail }) => <Scouts detail={detail} />,
  timeline: ({ run, detail }) => <TimelineView run={run} story={detail.id} />,
  cost: ({ detail }) => <SpendingTable rows={detail.spending_by_role} />,
}

function Head({ run, detail }: { readonly run: string; readonly detail: StoryDetail }) {
  const [retry, setRetry] = useState(false)
  const { data } = useRun(run)
  const { id, title, state, slot, attempt, working } = detail
  const hasEnded = ended.includes(state)
  return (
    <header className="page-head">
      <div className="stack tight">
        <a className="back" href={href('runs', run)}>
          <Icon name="board" />
          {data?.title ?? 'Board'}
        </a>
        <h1>{title}</h1>
        <p className="row sub dotted">
          <Pill state={detail.outcome ?? state} label={detail.outcome_label} live={working !== null} />
          <code>{id}</code>
          {working && (
            <span>
              {working.agent} at work{slot !== null && ` in ${slot}`}
            </span>
          )}
          {attempt !== null && state !== 'DONE' && <span>attempt {attempt}</span>}
          <span>
            <Cost of={detail.spending} />
          </span>
          {detail.created_at !== null && (
            <span>
              {hasEnded ? 'took ' : 'for '}
              <Age since={detail.created_at} until={hasEnded ? detail.since : null} />
            </span>
          )}
          {detail.stopped_because !== null && <span>{detail.stopped_because}</span>}
        </p>
      </div>
      {detail.retry && may('operator') && (
        <button type="button" className="button primary" onClick={() => setRetry(true)}>
          Retry
        </button>
      )}
      {retry && <RetryDialog run={run} story={data?.kind === 'spec' ? id : null} close={() => setRetry(false)} />}
    </header>
  )
}
