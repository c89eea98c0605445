import type { RunDetail } from '../../../src/api/runs.ts'
import type { Schedule } from '../../../src/api/schedule.ts'
import { useRun } from '../../data/queries.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty } from '../../parts/notice.tsx'
import { hrefWith } from '../../router.ts'
import { Chart } from '../schedule/chart.tsx'
import { ScheduleTable } from '../schedule/schedule-table.tsx'
import { PastBar } from './past-bar.tsx'
import { PastFigures, PastLanes } from './past-facts.tsx'
import { scheduleAt } from './schedule-at.ts'
import { type PastView, usePast } from './use-past.ts'

interface Props {
  readonly run: string
  readonly schedule: Schedule
  readonly isTable: boolean
}

/** The schedule up to the moment in the address, on the axis of the whole Run. */
export function PastSchedule({ run, schedule, isTable }: Props) {
  const { query, shown } = usePast(run)
  const detail = useRun(run)
  return (
    <Loaded query={query} what="the history of the run">
      {() =>
        shown === null ? (
          <Empty icon="activity" title="Nothing has happened yet" />
        ) : (
          <Then {...{ run, schedule, isTable, shown }} detail={detail.data} />
        )
      }
    </Loaded>
  )
}

interface ThenProps extends Props {
  readonly shown: PastView
  readonly detail: RunDetail | undefined
}

function Then({ run, schedule, isTable, shown, detail }: ThenProps) {
  const { now } = shown
  const then = scheduleAt(schedule, now)
  const moment = Date.parse(now.moment.at)
  const linkOf = (story: string) => hrefWith({ at: String(now.moment.id), story }, 'runs', run)
  return (
    <>
      <PastBar shown={shown} />
      {detail && <PastFigures detail={detail} now={now} />}
      {then.stories.length === 0 ? (
        <Empty icon="schedule" title="No story was planned yet" />
      ) : isTable ? (
        <ScheduleTable schedule={then} now={moment} linkOf={linkOf} />
      ) : (
        <Chart schedule={then} now={Date.parse(schedule.to)} moment={moment} linkOf={linkOf} />
      )}
      <PastLanes lanes={now.lanes} moment={now.moment} />
    </>
  )
}
