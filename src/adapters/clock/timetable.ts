import { DrydockError } from '../../domain/drydock-error.ts'
import type { Timetable } from '../../ports/timetable.ts'

/** Uses croner, which is loaded when it is first needed. */
export function createTimetable(): Timetable {
  return {
    // Computed on demand, since it loads the data of all time zones.
    get here() {
      return Intl.DateTimeFormat().resolvedOptions().timeZone
    },
    async times({ cron, timezone }, after, count) {
      if (!isTimezone(timezone)) {
        throw refused(
          `There is no time zone "${timezone}".`,
          'Name one as IANA does: Europe/Berlin, America/New_York, UTC',
        )
      }
      // Croner also accepts dates, which are not cron expressions.
      const words = cron.trim().split(/\s+/)
      if (words.length !== 5 && !(words.length === 1 && words[0]?.startsWith('@'))) {
        throw refused(`"${cron}" is no cron expression: it needs five fields.`, example)
      }
      const { Cron } = await import('croner')
      try {
        return new Cron(cron, { timezone, mode: '5-part', paused: true }).nextRuns(count, after)
      } catch (error) {
        const why = error instanceof Error ? error.message.replace(/^\w+: /, '') : String(error)
        throw refused(`"${cron}" is no cron expression: ${why}`, example)
      }
    },
  }
}

const example =
  'Write minute, hour, day of the month, month and day of the week: "0 6 * * 1" is Monday at 6:00. Or: @hourly, @daily, @weekly, @monthly'

function isTimezone(name: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

function refused(message: string, todo: string): DrydockError {
  return new DrydockError('bad_usage', message, { todo })
}
