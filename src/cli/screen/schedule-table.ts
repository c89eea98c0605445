import type { View } from '../../app/operations/views-of.ts'
import { shownSchedule } from '../../domain/schedule/schedule.ts'
import { inColumns } from './columns.ts'
import type { Output } from './output.ts'

type Schedules = View<'schedules'>['schedules']

/** Prints the schedules of a repository, for people or for programs. */
export function sayOrEmitSchedules(output: Output, schedules: Schedules): void {
  for (const each of schedules) output.emit({ type: 'schedule', ...asJson(each) })
  if (!output.json) showSchedules(output, schedules)
}

/** Schedules in columns, each with the result of its last start. */
function showSchedules({ say, screen }: Output, schedules: Schedules): void {
  const rows = schedules.map(({ name, state, paused_by, cron, timezone, next, about }) => {
    const at = next === null ? '–' : inZone(new Date(next), timezone)
    return { cells: [name, shownSchedule(state, paused_by), cron, at, about], tone: 'faint' as const }
  })
  say(inColumns(screen, { head: ['SCHEDULE', 'STATE', 'CRON', 'NEXT', 'SPEC OR TASK'], right: [], painted: 1 }, rows))
  for (const { name, timezone, last } of schedules) {
    if (last === null) continue
    const { due, outcome, run, note } = last
    const what = outcome === 'started' ? `started ${run}` : `${outcome}: ${note}`
    say(`\n${name}, due ${inZone(new Date(due), timezone)}: ${screen.prose(what)}`)
  }
}

function asJson({ name, state, paused_by, cron, timezone, work, next, last }: Schedules[number]): object {
  return { name, state, paused_by, cron, timezone, work, next, last }
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
