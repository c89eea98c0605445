import { randomBytes, randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { scheduleRoutes } from '../../../api/schedules.ts'
import { limits } from '../../../domain/limits.ts'
import { type ScheduledWork, scheduleMachine, shownSchedule } from '../../../domain/schedule/schedule.ts'
import { slug } from '../../../domain/text.ts'
import { isPossible } from '../../../workflow/schedule/change-schedule.ts'
import { authorName } from '../../commands/author-of.ts'
import { keptOptions } from '../../commands/kept-options.ts'
import { overNamed } from '../../commands/named-options.ts'
import { scheduledStart } from '../../commands/scheduled-start.ts'
import type { Installation } from '../../installation.ts'
import { usage } from '../../usage.ts'
import { findSchedule } from '../../views/schedules.ts'
import { handOver } from '../hand-over.ts'
import { operation } from '../operation.ts'
import { done } from '../refusals.ts'
import { checkNamed } from '../start.ts'

/** All that can be checked now is. */
export const addSchedule = operation(scheduleRoutes.addSchedule, {
  async run(acting, { cron, timezone, work: given, ...named }) {
    const { drydock, by, options: base } = acting
    checkNamed(acting, named)
    if (by !== null && given.kind === 'spec')
      throw usage('A file of the machine of a hub cannot be named from outside.', 'Schedule a task.')
    const zone = timezone ?? drydock.timetable.here
    const options = keptOptions(overNamed(base, named))
    const work: ScheduledWork =
      given.kind === 'task' ? given : { kind: given.kind, file: resolve(given.file), asIs: given.as_is }
    const times = await drydock.timetable.times(
      { cron, timezone: zone },
      drydock.clock.now(),
      limits.schedule.shownTimes,
    )
    const [next] = times
    if (next === undefined) throw usage(`"${cron}" has no time that is to come.`, 'Correct the expression.')
    const { run } = await scheduledStart(drydock, { work, options })
    const name = `${run.replace(/-[0-9a-f]+$/, '') || slug('schedule')}-${randomBytes(2).toString('hex')}`
    const data = { cron, timezone: zone, work, options, next: next.toISOString(), last: null, run: null }
    const change = { event: 'added', data } as const
    const command = { kind: 'schedule', run: scheduleMachine(name), change } as const
    const handed = await handOver(drydock, `schedule/added/${name}`, command)
    return { name, timezone: zone, handed, times: times.map((time) => time.toISOString()) }
  },
})

export const changeSchedule = operation(scheduleRoutes.changeSchedule, {
  async run({ drydock, by }, { name, change: event }) {
    const schedule = await findSchedule(drydock, name)
    if (!isPossible(schedule, event))
      throw done(
        `The schedule ${name} is ${shownSchedule(schedule.state, schedule.data.pausedBy ?? null)}.`,
        'See: drydock schedule list',
      )
    const { cron, timezone } = schedule.data
    const person = (await authorName(drydock, by)) ?? undefined
    const change =
      event === 'resumed'
        ? { event, next: await nextOf(drydock, { cron, timezone }) }
        : event === 'paused'
          ? { event, ...(person !== undefined && { person }) }
          : { event }
    const command = { kind: 'schedule', run: schedule.id, change } as const
    return { run: name, handed: await handOver(drydock, `schedule/${randomUUID()}`, command) }
  },
})

async function nextOf(
  { timetable, clock }: Pick<Installation, 'clock' | 'timetable'>,
  times: Parameters<Installation['timetable']['times']>[0],
) {
  const [next] = await timetable.times(times, clock.now(), 1)
  return next?.toISOString() ?? null
}
