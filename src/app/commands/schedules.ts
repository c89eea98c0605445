import { randomBytes, randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import type { Command } from '../../domain/command.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { type ScheduledWork, scheduleMachine } from '../../domain/schedule/schedule.ts'
import { slug } from '../../domain/text.ts'
import { isPossible } from '../../workflow/schedule/change-schedule.ts'
import type { Drydock } from '../drydock.ts'
import { type HandedOver, handOver } from '../operations/hand-over.ts'
import { findSchedule } from '../views/schedules.ts'
import type { WorkOptions } from '../work-options.ts'
import { keptOptions } from './kept-options.ts'
import { scheduledStart } from './scheduled-start.ts'

interface Adding {
  readonly cron: string
  /** IANA name; undefined for this machine's. */
  readonly timezone: string | undefined
  /** A file may be relative to the current folder. */
  readonly work: ScheduledWork
  readonly options: WorkOptions
}

/** A schedule that was stored, with its next times. */
export interface Added {
  readonly name: string
  readonly timezone: string
  readonly times: readonly Date[]
  readonly handed: HandedOver
}

/** Stores a schedule. All that can be checked now is. DrydockError `bad_usage` and others. */
export async function addSchedule(drydock: Drydock, adding: Adding): Promise<Added> {
  const { cron, timezone = drydock.timetable.here } = adding
  const options = keptOptions(adding.options)
  const work = adding.work.kind === 'spec' ? { ...adding.work, file: resolve(adding.work.file) } : adding.work
  const times = await drydock.timetable.times({ cron, timezone }, drydock.clock.now(), limits.schedule.shownTimes)
  const [next] = times
  if (next === undefined) {
    throw new DrydockError('bad_usage', `"${cron}" has no time that is to come.`, { todo: 'Correct the expression.' })
  }
  const { run } = await scheduledStart(drydock, { work, options })
  const name = `${run.replace(/-[0-9a-f]+$/, '') || slug('schedule')}-${randomBytes(2).toString('hex')}`
  const data = { cron, timezone, work, options, next: next.toISOString(), last: null, run: null }
  const change = { event: 'added', data } as const
  const command: Command = { kind: 'schedule', run: scheduleMachine(name), change }
  return { name, timezone, times, handed: await handOver(drydock, `schedule/added/${name}`, command) }
}

/** Pauses, resumes or removes a schedule. DrydockError `not_found`, `already_done`. */
export async function changeSchedule(
  drydock: Drydock,
  name: string,
  event: 'paused' | 'resumed' | 'removed',
): Promise<HandedOver> {
  const schedule = await findSchedule(drydock, name)
  if (!isPossible(schedule, event)) {
    throw new DrydockError('already_done', `The schedule ${name} is ${schedule.state}.`, {
      todo: 'See: drydock schedule list',
    })
  }
  const { cron, timezone } = schedule.data
  const change = event === 'resumed' ? { event, next: await nextOf(drydock, { cron, timezone }) } : { event }
  return handOver(drydock, `schedule/${randomUUID()}`, { kind: 'schedule', run: schedule.id, change })
}

async function nextOf({ timetable, clock }: Drydock, times: Parameters<Drydock['timetable']['times']>[0]) {
  const [next] = await timetable.times(times, clock.now(), 1)
  return next?.toISOString() ?? null
}
