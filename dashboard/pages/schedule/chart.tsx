import { useVirtualizer } from '@tanstack/react-virtual'
import { scaleTime } from 'd3-scale'
import { useEffect, useMemo, useRef } from 'react'
import type { Schedule } from '../../../src/api/schedule.ts'
import { useFilter } from '../../filters/use-filter.ts'
import { Axis } from './axis.tsx'
import { CostLine } from './cost-line.tsx'
import { CriticalLines } from './critical-lines.tsx'
import { phases, phaseTitle, spanTitle } from './phase-text.ts'
import { Row } from './row.tsx'
import { useBarKeys } from './use-bar-keys.ts'
import { rowHeight, useView } from './use-view.ts'

interface Props {
  readonly schedule: Schedule
  readonly now: number
  /** The target of a story's bars. */
  readonly linkOf: (story: string) => string
  /** The time at which the bars end, in milliseconds; null for the present. */
  readonly moment: number | null
}

/** Factors by which the chart is wider than its container. */
const zooms = ['2', '4', '8', '16', '32'] as const

/** A row of bars over time for each story, with the cost on the same axis. */
export function Chart({ schedule, now, linkOf, moment }: Props) {
  const box = useRef<HTMLElement>(null)
  const [zoomed, chooseZoom] = useFilter('zoom', zooms)
  const view = useView(box)
  const keepMiddle = useRef<number | null>(null)
  const stories = useMemo(() => inOrder(schedule.stories), [schedule.stories])
  const from = Date.parse(schedule.from)
  const width = Math.max(200, view.width) * Number(zoomed ?? 1)
  const x = useMemo(
    () =>
      scaleTime()
        .domain([from, Math.max(now, from + 1_000)])
        .range([0, width - 8]),
    [from, now, width],
  )
  const list = useVirtualizer({
    count: stories.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  })
  const keys = useBarKeys({ stories, box, x, view, reveal: (row) => list.scrollToIndex(row, { align: 'auto' }) })
  const zoomBy = (step: 1 | -1) => {
    const all = [null, ...zooms]
    const next = all[all.indexOf(zoomed) + step]
    if (next === undefined) return
    // Keeps the middle of the visible part in place.
    keepMiddle.current = (view.left + view.width / 2) / width
    chooseZoom(next)
  }
  useEffect(() => {
    if (keepMiddle.current === null || box.current === null) return
    box.current.scrollLeft = keepMiddle.current * width - view.width / 2
    keepMiddle.current = null
  }, [width, view.width])
  const until = moment ?? now
  const { current } = keys
  const shown = stories.find(({ story }) => story === current?.story)
  const span = shown?.spans[current?.index ?? -1]
  return (
    <div className="gantt-card card">
      <div className="gantt-bar">
        <Legend />
        <span className="row spread">
          <button type="button" className="button" disabled={zoomed === null} onClick={() => zoomBy(-1)}>
            Zoom out
          </button>
          <button type="button" className="button" disabled={zoomed === zooms.at(-1)} onClick={() => zoomBy(1)}>
            Zoom in
          </button>
        </span>
      </div>
      <p className="gantt-say">
        {shown && span ? (
          <>
            <strong>{shown.title}</strong> · {spanTitle(span, until)}. {span.why}
          </>
        ) : (
          <span className="sub">
            Point at a bar, or walk over them with the arrow keys, to read what happened and why. + and - zoom.
          </span>
        )}
      </p>
      <section
        ref={box}
        className="gantt"
        aria-label="Stories over time"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        tabIndex={0}
        onKeyDown={(event) => {
          if (event.key === '+' || event.key === '=') zoomBy(1)
          else if (event.key === '-') zoomBy(-1)
          else keys.pressed(event)
        }}
      >
        <div className="gantt-plane" style={{ width: `calc(var(--gantt-names) + ${width}px)` }}>
          <Axis x={x} width={width} />
          <div className="gantt-rows" style={{ height: list.getTotalSize() }}>
            <CriticalLines schedule={schedule} stories={stories} x={x} now={until} width={width} />
            {list.getVirtualItems().map(({ index, start, key }) => {
              const story = stories[index]
              return (
                story && (
                  <Row
                    key={key}
                    {...{ story, x, view, keys, now: until, top: start }}
                    to={linkOf(story.story)}
                    isFirst={index === 0}
                  />
                )
              )
            })}
          </div>
          <CostLine
            spending={schedule.spending}
            unpriced={schedule.unpriced}
            x={x}
            width={width}
            from={from}
            now={until}
          />
          {moment !== null && (
            <div className="gantt-moment" style={{ left: `calc(var(--gantt-names) + ${x(moment)}px)` }} />
          )}
        </div>
      </section>
    </div>
  )
}

function begunBefore(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1
  return a < b ? -1 : 1
}

/** Ordered by start, then by plan, so that started work never moves. */
function inOrder(stories: Schedule['stories']): Schedule['stories'] {
  const begun = ({ spans }: Schedule['stories'][number]) =>
    spans.find(({ phase }) => phase !== 'waiting' && phase !== 'asking' && phase !== 'paused')?.from
  return stories.toSorted((a, b) => begunBefore(begun(a), begun(b)))
}

function Legend() {
  return (
    <ul className="gantt-legend">
      {phases.map((phase) => (
        <li key={phase}>
          <span className={`gantt-key phase-${phase}`} aria-hidden="true" />
          {phaseTitle(phase)}
        </li>
      ))}
      <li>
        <span className="gantt-key critical" aria-hidden="true" />
        Critical path
      </li>
    </ul>
  )
}
