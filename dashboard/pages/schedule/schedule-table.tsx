import { useState } from 'react'
import type { Schedule, Span } from '../../../src/api/schedule.ts'
import { formatDuration } from '../../../src/domain/figures-text.ts'
import { Pill } from '../../parts/pill.tsx'
import { ScrollBox } from '../../parts/scroll-box.tsx'
import { clock, millisOf, phaseTitle, restPhases, spanTitle } from './phase-text.ts'

interface Props {
  readonly schedule: Schedule
  readonly now: number
  readonly linkOf: (story: string) => string
}

/** The content of the chart as text. */
export function ScheduleTable({ schedule, now, linkOf }: Props) {
  return (
    <ScrollBox label="Schedule of the stories">
      <table className="table schedule-table">
        <thead>
          <tr>
            {['Story', 'State', 'Began', 'Ended', 'Worked on', 'Waited', 'Longest wait', 'All of it'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {schedule.stories.map((story) => (
            <Row key={story.story} linkOf={linkOf} story={story} now={now} />
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

function Row({ linkOf, story, now }: Omit<Props, 'schedule'> & { readonly story: Schedule['stories'][number] }) {
  const { story: id, title, state, critical, spans } = story
  const isRest = ({ phase }: Span) => restPhases.includes(phase)
  const sum = (some: readonly Span[]) => some.reduce((all, span) => all + millisOf(span, now), 0)
  const rests = spans.filter(isRest)
  const work = spans.filter((span) => !isRest(span))
  const longest = rests.toSorted((a, b) => millisOf(b, now) - millisOf(a, now))[0]
  const last = spans.at(-1)
  return (
    <tr>
      <th scope="row">
        <a href={linkOf(id)} data-item>
          {title}
        </a>
        <span className="sub">
          <code>{id}</code>
          {critical && ' · on the critical path'}
        </span>
      </th>
      <td>
        <Pill state={state} />
      </td>
      <td>{work[0] ? clock(work[0].from) : 'not yet'}</td>
      <td>{last && last.to !== null ? clock(last.to) : 'not yet'}</td>
      <td>{formatDuration(sum(work))}</td>
      <td>{formatDuration(sum(rests))}</td>
      <td className="schedule-why">{longest ? `${formatDuration(millisOf(longest, now))}: ${longest.why}` : 'none'}</td>
      <td>
        <Spans spans={spans} now={now} />
      </td>
    </tr>
  )
}

function Spans({ spans, now }: { readonly spans: readonly Span[]; readonly now: number }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{spans.length === 1 ? '1 span' : `${spans.length} spans`}</summary>
      {isOpen && (
        <ol className="schedule-spans">
          {spans.map((span) => (
            <li key={`${span.from} ${phaseTitle(span.phase)}`}>
              <strong>{spanTitle(span, now)}</strong> {span.why}
            </li>
          ))}
        </ol>
      )}
    </details>
  )
}
