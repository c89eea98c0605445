import type { CSSProperties } from 'react'
import type { RunDetail, StoryLine } from '../../../src/api/runs.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Pill } from '../../parts/pill.tsx'
import { hrefWith, useAsked } from '../../router.ts'
import { Columns } from '../board/columns.tsx'
import { PastBar } from './past-bar.tsx'
import { PastFigures, PastLanes } from './past-facts.tsx'
import { PastStory } from './past-story.tsx'
import type { RunAt, StoryAt } from './run-at.ts'
import { type PastView, usePast } from './use-past.ts'

/** The board at the moment in the address. It is read-only. */
export function PastBoard({ detail }: { readonly detail: RunDetail }) {
  const { query, shown } = usePast(detail.run)
  return (
    <Loaded query={query} what="the history of the run">
      {() =>
        shown === null ? <Empty icon="activity" title="Nothing has happened yet" /> : <Then {...{ detail, shown }} />
      }
    </Loaded>
  )
}

function Then({ detail, shown }: { readonly detail: RunDetail; readonly shown: PastView }) {
  const { now } = shown
  const { run } = detail
  const chosen = useAsked('story')
  const story = now.stories.find(({ id }) => id === chosen)
  const lines = linesAt(detail, now)
  const at = String(now.moment.id)
  return (
    <>
      <header className="page-head">
        <div className="stack tight">
          <h1>{detail.title}</h1>
          <p className="row sub">
            {now.state === null ? 'The run was asked for.' : <Pill state={now.state} title="The state of the run" />}
            <span>The board as it was</span>
          </p>
        </div>
      </header>
      <PastBar shown={shown} />
      <PastFigures detail={detail} now={now} />
      {lines.length === 0 ? (
        <Empty icon="board" title="No story was planned yet">
          <p>Go to a later event to see the board fill.</p>
        </Empty>
      ) : (
        <div className="past-columns" style={{ '--past-stories': lines.length } as CSSProperties}>
          <Columns run={run} stories={lines} linkOf={(id) => hrefWith({ at, story: id }, 'runs', run)} />
        </div>
      )}
      {story && <PastStory run={run} title={titleOf(detail, story)} story={story} />}
      <PastLanes lanes={now.lanes} moment={now.moment} />
    </>
  )
}

function titleOf({ stories }: RunDetail, { id }: StoryAt): string {
  return stories.find((each) => each.id === id)?.title ?? id
}

/** The cards at that moment, as far as events tell. The bar shows how long a state lasted. */
function linesAt({ stories }: RunDetail, { stories: then, lanes }: RunAt): readonly StoryLine[] {
  return then.flatMap(({ id, state, verifications, reviews, status, ...used }) => {
    const known = stories.find((each) => each.id === id)
    if (known === undefined) return []
    const lane = lanes.find((each) => each.story === id && each.next !== null)
    return [
      {
        ...known,
        state: state as StoryLine['state'],
        outcome: null,
        since: null,
        created_at: null,
        slot: null,
        working: lane ? { agent: lane.lane.split('/')[0] ?? '', lane: lane.lane } : null,
        attempt: null,
        verifications,
        last_status: status ?? null,
        reviews,
        findings: 0,
        retry: false,
        escalation: null,
        against_peers: { calls: null, time: null },
        spending: { ...known.spending, ...used },
      },
    ]
  })
}
