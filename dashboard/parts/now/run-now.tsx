import { type ReactNode, useEffect, useRef, useState } from 'react'
import { plural } from '../../figures-text.ts'
import '../../styles/now.css'
import type { LaneNow } from '../../../src/api/now.ts'
import type { RunDetail, StoryLine } from '../../../src/api/runs.ts'
import { useKept } from '../../data/kept.ts'
import { useLanesNow } from '../../data/lanes-now.ts'
import { href } from '../../router.ts'
import { ended } from '../../state-family.ts'
import { Pill } from '../pill.tsx'
import { whom } from '../waits-for-answer.ts'
import { LaneView } from './lane-view.tsx'
import { LeftOut } from './left-out.tsx'
import { NowLines } from './now-lines.tsx'
import { whyItWaits } from './why-it-waits.ts'

interface Props {
  readonly detail: RunDetail
  /**
   * True to show every word of every agent, as on the agents' page; otherwise one line for each
   * agent.
   */
  readonly isTall?: boolean
  /** The result of a Run that has ended while the page was open. */
  readonly result?: ReactNode
}

/** The number of stories from which the panel is tall. */
const several = 4

/**
 * The current activity of a Run's agents. A workspace is a seat with a fixed place, and the box has
 * a fixed height, so that nothing jumps while agents come and go.
 */
export function RunNow({ detail, isTall = false, result = null }: Props) {
  const isLive = detail.owned && detail.ended_at === null
  // A Run that ends while the page is open keeps its panel.
  const [wasLive, setLive] = useState(isLive)
  useEffect(() => {
    if (isLive) setLive(true)
  }, [isLive])
  const [isOpen, setOpen] = useKept('now', true)
  const { lanes, aheadMs, isLeftOut } = useLanesNow(detail.run, null, isLive && isOpen)
  const seats = useSeats(detail)
  const place = useRef<HTMLDetailsElement>(null)
  const height = useRef(leastHeight)
  useEffect(() => {
    if (place.current !== null) height.current = Math.max(leastHeight, place.current.offsetHeight)
  })
  if (!wasLive && !isLive) return <>{result}</>
  if (result !== null) return <Result height={height.current}>{result}</Result>
  const isOfRun = ({ agent, story }: LaneNow) => agent === 'architect' || story === null
  const ofRun = lanes.filter(isOfRun)
  const own = lanes.filter((lane) => !isOfRun(lane))
  const apart = own.filter(({ story }) => !seats.some((seat) => seat.story?.id === story))
  const busy = isLeftOut ? null : lanes.filter(({ asking, tools }) => asking !== null || tools.length > 0)
  return (
    <details ref={place} className="now" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <h2>Now</h2> <span className="sub">{summary(detail, busy)}</span>
      </summary>
      <Polite text={summary(detail, busy)} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section className={isTall ? boxOf(detail) : 'now-box'} tabIndex={0} aria-label="What each agent does">
        {isTall ? (
          <>
            <article className="now-seat">
              <p className="now-head">
                <strong>{detail.architect ? 'Architect' : 'Run'}</strong>
              </p>
              {ofRun.map((lane) => (
                <LaneView key={lane.id} lane={lane} aheadMs={aheadMs} />
              ))}
              {isLeftOut && <LeftOut />}
              {ofRun.length === 0 && !isLeftOut && <Waiting detail={detail} seated={seats.map(({ story }) => story)} />}
            </article>
            {(isLeftOut ? [] : seats).map(({ slot, story }) => (
              <Seat
                key={slot}
                slot={slot}
                detail={detail}
                story={story}
                lanes={story === null ? [] : own.filter((lane) => lane.story === story.id)}
                aheadMs={aheadMs}
              />
            ))}
            {apart.map((lane) => (
              <Seat
                key={lane.id}
                slot="No workspace"
                detail={detail}
                story={detail.stories.find(({ id }) => id === lane.story) ?? null}
                lanes={[lane]}
                aheadMs={aheadMs}
              />
            ))}
          </>
        ) : (
          <NowLines detail={detail} lanes={lanes} aheadMs={aheadMs} isLeftOut={isLeftOut} />
        )}
      </section>
    </details>
  )
}

/** The height in pixels at which the title and the first action are visible. */
const leastHeight = 190

/** Replaces the panel at its height, so that nothing below moves; it can be expanded. */
function Result({ height, children }: { readonly height: number; readonly children: ReactNode }) {
  const [isWhole, setWhole] = useState(false)
  if (isWhole) return <>{children}</>
  return (
    <div className="now-result" style={{ height }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section className="now-result-box" tabIndex={0} aria-label="Result">
        {children}
      </section>
      <button type="button" className="button now-whole" onClick={() => setWhole(true)}>
        Show all of the result
      </button>
    </div>
  )
}

function boxOf({ stories }: RunDetail): string {
  return stories.length > several ? 'now-seats tall' : 'now-seats'
}

interface SeatOf {
  readonly slot: string
  readonly story: StoryLine | null
}

/** Each workspace that the Run has had while the page was open, with its current story. */
function useSeats({ run, stories }: RunDetail): readonly SeatOf[] {
  const known = useRef({ run, slots: new Set<string>() })
  if (known.current.run !== run) known.current = { run, slots: new Set() }
  for (const { slot } of stories) if (slot !== null) known.current.slots.add(slot)
  const holds = new Map(stories.flatMap((story) => (story.slot === null ? [] : [[story.slot, story] as const])))
  return [...known.current.slots].toSorted().map((slot) => ({ slot, story: holds.get(slot) ?? null }))
}

interface SeatProps extends SeatOf {
  readonly detail: RunDetail
  readonly lanes: readonly LaneNow[]
  readonly aheadMs: number
}

function Seat({ slot, story, detail, lanes, aheadMs }: SeatProps) {
  return (
    <article className="now-seat">
      <p className="now-head">
        <strong className="mono">{slot}</strong>
        {story !== null && (
          <>
            <a className="now-title" href={href('runs', detail.run, 'stories', story.id)} title={story.title} data-item>
              {story.title}
            </a>
            <Pill state={story.outcome ?? story.state} label={story.outcome_label} live={lanes.length > 0} />
          </>
        )}
      </p>
      {lanes.map((lane) => (
        <LaneView key={lane.id} lane={lane} aheadMs={aheadMs} spending={story?.spending} />
      ))}
      {lanes.length === 0 && <p className="sub">{story === null ? 'Nobody.' : whyItWaits(detail, story)}</p>}
    </article>
  )
}

/** The first stories without a seat, with the reasons. */
function Waiting({ detail, seated }: { readonly detail: RunDetail; readonly seated: readonly (StoryLine | null)[] }) {
  const waiting = detail.stories.filter((story) => !ended.includes(story.state) && !seated.includes(story))
  if (waiting.length === 0) return <p className="sub">Nothing is asked of it.</p>
  return (
    <ul className="now-waiting sub">
      {waiting.slice(0, several).map((story) => (
        <li key={story.id}>
          <code>{story.id}</code> {whyItWaits(detail, story)}
        </li>
      ))}
      {waiting.length > several && <li>{plural(waiting.length - several, 'more waits', 'more wait')}.</li>}
    </ul>
  )
}

function summary({ stories, escalations }: RunDetail, busy: readonly LaneNow[] | null): string {
  const waiting = stories.filter(({ state }) => state === 'QUEUED' || state === 'BLOCKED').length
  const parts = [
    ...(busy === null ? [] : [plural(busy.length, 'agent at work', 'agents at work')]),
    ...(escalations.length > 0 ? [`${plural(escalations.length, 'question')} for ${whom()}`] : []),
    ...(waiting > 0 ? [plural(waiting, 'story waits', 'stories wait')] : []),
  ]
  return parts.join(' · ')
}

/** Milliseconds between two announcements. */
const politeMs = 15_000

/** Announces the summary to screen readers from time to time. */
function Polite({ text }: { readonly text: string }) {
  const [said, say] = useState('')
  const newest = useRef(text)
  newest.current = text
  useEffect(() => {
    const timer = setInterval(() => say(newest.current), politeMs)
    return () => clearInterval(timer)
  }, [])
  return (
    <p className="visually-hidden" aria-live="polite">
      {said}
    </p>
  )
}
