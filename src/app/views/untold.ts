import type { EventOfType } from '../../domain/event.ts'
import type { Records } from '../../ports/store.ts'

/** Failed notifications of a Run, newest first. */
export function readUntold(records: Records, run: string): Promise<readonly EventOfType<'notification_failed'>[]> {
  return records.recentEvents({ run, types: ['notification_failed'], limit: 20 })
}

export function describeUntold({
  data: { about, message, notifier, error },
}: EventOfType<'notification_failed'>): string {
  const what = message === null ? `that it has ${about}` : `of message ${message}`
  return `You could not be told ${what}. ${notifier}: ${error}`
}
