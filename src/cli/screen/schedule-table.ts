import type { ListedSchedule } from '../../app/views/schedules.ts'
import { scheduleName, shownSchedule } from '../../domain/schedule/schedule.ts'
import { inColumns } from './columns.ts'
import type { Output } from './output.ts'

/** Prints the schedules of a repository, for people or for programs. */
export function sayOrEmitSchedules(output: Output, schedules: readonly ListedSchedule[]): void {
  for (const each of schedules) output.emit({ type: 'schedule', ...asJson(each) })
  if (!output.json) showSchedules(output, schedules)
}

/** Schedules in columns, each with the result of its last start. */
function showSchedules({ say, screen }: Output, schedules: readonly ListedSchedule[]): void {
  const rows = schedules.map((each) => {
    const { id, data } = each
    const next = data.next === null ? '–' : inZone(new Date(data.next), data.timezone)
    const about = data.work.kind === 'spec' ? data.work.file : data.work.text
    return { cells: [scheduleName(id), shownSchedule(each), data.cron, next, about], tone: 'faint' as const }
  })
  say(inColumns(screen, { head: ['SCHEDULE', 'STATE', 'CRON', 'NEXT', 'SPEC OR TASK'], right: [], painted: 1 }, rows))
  for (const { id, data } of schedules) {
    if (data.last === null) continue
    const { due, outcome, run, note } = data.last
    const what = outcome === 'started' ? `started ${run}` : `${outcome}: ${note}`
    say(`\n${scheduleName(id)}, due ${inZone(new Date(due), data.timezone)}: ${screen.prose(what)}`)
  }
}

function asJson({ id, state, data }: ListedSchedule): object {
  const { cron, timezone, work, next, last, pausedBy: paused_by = null } = data
  return { name: scheduleName(id), state, paused_by, cron, timezone, work, next, last }
}

/** Formats a time as `Mon 2026-11-30 06:00` in its time zone. */
export function inZone(time: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(time)
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? ''
  return `${part('weekday')} ${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}`
}
