import type { ScaleTime } from 'd3-scale'
import type { Schedule } from '../../../src/api/schedule.ts'
import { rowHeight } from './use-view.ts'

interface Props {
  readonly schedule: Schedule
  /** Stories in the order of the rows. */
  readonly stories: Schedule['stories']
  readonly x: ScaleTime<number, number>
  readonly now: number
  readonly width: number
}

/** Lines from the end of each story on the critical path to the start of the next. */
export function CriticalLines({ schedule: { critical_path }, stories, x, now, width }: Props) {
  const rows = new Map(stories.map((story, row) => [story.story, { row, story }]))
  const steps = critical_path.slice(1).flatMap(({ story }, i) => {
    const [before, after] = [rows.get(critical_path[i]?.story ?? ''), rows.get(story)]
    const end = before?.story.spans.at(-1)
    const start = after?.story.spans.find(({ phase }) => phase !== 'waiting')
    if (!before || !after || !end) return []
    const from = x(end.to === null ? now : Date.parse(end.to))
    const to = start ? x(Date.parse(start.from)) : from
    const y = (row: number) => row * rowHeight + rowHeight / 2
    return [{ story, path: `M${from},${y(before.row)}V${y(after.row)}H${Math.max(from, to)}` }]
  })
  if (steps.length === 0) return null
  return (
    <svg className="gantt-critical" width={width} height={stories.length * rowHeight} aria-hidden="true">
      {steps.map(({ story, path }) => (
        <path key={story} d={path} />
      ))}
    </svg>
  )
}
