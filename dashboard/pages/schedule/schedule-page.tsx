import type { Schedule } from '../../../src/api/schedule.ts'
import { useRun, useSchedule } from '../../data/queries.ts'
import { useFilter } from '../../filters/use-filter.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty } from '../../parts/notice.tsx'
import { RunHead } from '../../parts/run-head.tsx'
import { useNow } from '../../parts/time.tsx'
import { href, hrefWith, useAsked } from '../../router.ts'
import { PastSchedule } from '../past/past-schedule.tsx'
import { Chart } from './chart.tsx'
import { ScheduleTable } from './schedule-table.tsx'
import '../../styles/schedule.css'

/**
 * The phases of each story over time, the reasons why it waited, and the stories that determined
 * the Run's time.
 */
export function SchedulePage({ run }: { readonly run: string }) {
  const [table, choose] = useFilter('view', ['table'])
  const isPast = useAsked('at') !== null
  const last = useRun(run).data?.last_event
  return (
    <div className="page schedule-page">
      <RunHead run={run} title="Schedule" isPast={isPast}>
        <fieldset className="segmented">
          <legend className="visually-hidden">View</legend>
          {(['chart', 'table'] as const).map((each) => (
            <label key={each}>
              <input
                type="radio"
                name="view"
                checked={(table ?? 'chart') === each}
                onChange={() => choose(each === 'table' ? 'table' : null)}
              />
              {each === 'chart' ? 'Chart' : 'Table'}
            </label>
          ))}
        </fieldset>
        {!isPast && last !== undefined && (
          <a
            className="button"
            href={hrefWith({ at: String(last), ...(table && { view: table }) }, 'runs', run, 'schedule')}
          >
            Go back in time
          </a>
        )}
      </RunHead>
      <Loaded query={useSchedule(run)} what="the schedule">
        {(schedule) =>
          schedule.stories.length === 0 ? (
            <Empty icon="schedule" title="No story is planned yet">
              <p>Once there are stories, you see here when each was worked on, and what it waited for.</p>
            </Empty>
          ) : isPast ? (
            <PastSchedule key={run} run={run} schedule={schedule} isTable={table !== null} />
          ) : (
            <Shown run={run} schedule={schedule} isTable={table !== null} />
          )
        }
      </Loaded>
    </div>
  )
}

interface Props {
  readonly run: string
  readonly schedule: Schedule
}

function Shown({ run, schedule, isTable }: Props & { readonly isTable: boolean }) {
  const clock = useNow()
  const known = Date.parse(schedule.to)
  const now = schedule.live ? Math.max(clock, known) : known
  const linkOf = (story: string) => href('runs', run, 'stories', story)
  return (
    <>
      <CriticalPath run={run} schedule={schedule} />
      {isTable ? (
        <ScheduleTable schedule={schedule} now={now} linkOf={linkOf} />
      ) : (
        <Chart schedule={schedule} now={now} linkOf={linkOf} moment={null} />
      )}
    </>
  )
}

/** A longer path is shortened to its ends, and can be expanded. */
const inShort = 8

/** The stories that would have to be faster for the Run to be faster. */
function CriticalPath({ run, schedule: { critical_path, stories } }: Props) {
  if (stories.length < 2) return null
  const steps = (
    <ol>
      {critical_path.map(({ story, why }) => (
        <li key={story}>
          <a className="mono" href={href('runs', run, 'stories', story)} title={why}>
            {story}
            <span className="visually-hidden">. {why}</span>
          </a>
        </li>
      ))}
    </ol>
  )
  if (critical_path.length <= inShort) {
    return (
      <section className="critical-path" aria-label="Critical path">
        <h2>Critical path</h2>
        {steps}
      </section>
    )
  }
  return (
    <details className="critical-path">
      <summary>
        Critical path: {critical_path.length} stories, from <code>{critical_path[0]?.story}</code> to{' '}
        <code>{critical_path.at(-1)?.story}</code>
      </summary>
      {steps}
    </details>
  )
}
