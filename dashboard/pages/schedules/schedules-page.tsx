import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ScheduleList } from '../../../src/api/schedules.ts'
import { apiPath, get } from '../../data/client.ts'
import { useOperation } from '../../data/operation.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { forOperators } from '../../parts/for-operators.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty, Problem } from '../../parts/notice.tsx'
import { Pill } from '../../parts/pill.tsx'
import { exactTime, Time, Until } from '../../parts/time.tsx'
import { href } from '../../router.ts'
import './schedules.css'

type ScheduleRow = ScheduleList['schedules'][number]

const schedulesKey = ['schedules']

/** The schedules with their next times and their last outcomes. */
export function SchedulesPage() {
  const query = useQuery({
    queryKey: schedulesKey,
    queryFn: ({ signal }) => get<ScheduleList>(apiPath('schedules'), signal),
  })
  return (
    <div className="page narrow">
      <header className="page-head">
        <div>
          <h1>Schedules</h1>
          <p className="sub">Specs and tasks that start by themselves at set times.</p>
        </div>
      </header>
      <Loaded query={query} what="the schedules">
        {({ schedules }) =>
          schedules.length === 0 ? (
            <Empty icon="schedule" title="Nothing is scheduled">
              <p>A schedule is added in a terminal:</p>
              <code>drydock schedule add "0 6 * * 1" spec.md</code>
            </Empty>
          ) : (
            <ul className="card schedules" aria-label="Schedules">
              {schedules.map((schedule) => (
                <Row key={schedule.name} schedule={schedule} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  )
}

function Row({ schedule }: { readonly schedule: ScheduleRow }) {
  const { name, state, paused_by, cron, timezone, kind, about, next } = schedule
  return (
    <li aria-label={name}>
      <div className="grow">
        <p className="row">
          <strong>{name}</strong>
          <Pill
            state={state === 'ACTIVE' ? 'QUEUED' : state}
            label={state === 'ACTIVE' ? 'Active' : `Paused by ${paused_by ?? 'hand'}`}
          />
          <code title={timezone}>{cron}</code>
          <span className="sub">{timezone}</span>
        </p>
        <p className="schedule-about">
          {kind === 'spec' ? 'Spec ' : ''}
          {kind === 'spec' ? <code>{about}</code> : about}
        </p>
        <p className="sub">
          {next === null ? 'No next time.' : <Next at={next} />} <Last schedule={schedule} />
        </p>
      </div>
      <Change schedule={schedule} />
    </li>
  )
}

function Next({ at }: { readonly at: string }) {
  return (
    <>
      Next <Until at={at} /> ({exactTime(at)}).
    </>
  )
}

const outcomes = { started: 'started', skipped: 'was skipped', failed: 'could not start' } as const

function Last({ schedule: { last } }: { readonly schedule: ScheduleRow }) {
  if (last === null) return <>It was not due yet.</>
  return (
    <>
      Last <Time at={last.due} />: it {outcomes[last.outcome]}
      {last.run !== null && (
        <>
          {' '}
          <a href={href('runs', last.run)}>{last.run}</a>
        </>
      )}
      {last.note === null ? '.' : `: ${last.note}`}
    </>
  )
}

const Change = forOperators(function Change({ schedule: { name, state } }: { readonly schedule: ScheduleRow }) {
  const [isRemoving, setRemoving] = useState(false)
  const client = useQueryClient()
  const change = useOperation('changeSchedule', {
    onSettled: () => client.invalidateQueries({ queryKey: schedulesKey }),
  })
  const isPaused = state === 'PAUSED'
  return (
    <div className="row">
      <button
        type="button"
        className="button"
        disabled={change.isPending}
        onClick={() => change.mutate({ name, change: isPaused ? 'resumed' : 'paused' })}
      >
        {isPaused ? 'Resume' : 'Pause'}
        <span className="visually-hidden"> {name}</span>
      </button>
      <button type="button" className="button danger" disabled={change.isPending} onClick={() => setRemoving(true)}>
        Remove<span className="visually-hidden"> {name}</span>
      </button>
      {change.isError && <Problem error={change.error} />}
      {isRemoving && (
        <Dialog title="Remove this schedule?" close={() => setRemoving(false)}>
          <p>It starts nothing any more. Its runs stay.</p>
          <button
            type="button"
            className="button danger"
            onClick={() => {
              setRemoving(false)
              change.mutate({ name, change: 'removed' })
            }}
          >
            Remove it
          </button>
        </Dialog>
      )}
    </div>
  )
})
