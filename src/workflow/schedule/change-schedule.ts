import type { Command } from '../../domain/command.ts'
import type { Schedule, ScheduleData } from '../../domain/schedule/schedule.ts'
import type { Transaction } from '../../ports/store.ts'

type ScheduleCommand = Extract<Command, { kind: 'schedule' }>

/** Adds, pauses, resumes or removes a schedule. A change to the present state has no effect. */
export async function changeSchedule(tx: Transaction, { run: id, change }: ScheduleCommand): Promise<void> {
  const found = await tx.machineOf('schedule', id)
  if (change.event === 'added') {
    if (found !== null) return
    await tx.create({ id, kind: 'schedule', run: id, story: null, data: change.data }, stepAt(change.data.next))
    return
  }
  if (found === null || !isPossible(found, change.event)) return
  const next = change.event === 'resumed' ? change.next : null
  await tx.move(found, change.event, { data: { next, pausedBy: pauserOf(change) }, next: stepAt(next) })
}

/** The person who pauses a schedule; null for any other change. */
export function pauserOf(change: ScheduleCommand['change']): string | null {
  return change.event === 'paused' ? (change.person ?? null) : null
}

export function isPossible({ state }: Pick<Schedule, 'state'>, event: 'paused' | 'resumed' | 'removed'): boolean {
  if (event === 'removed') return state !== 'REMOVED'
  return state === (event === 'paused' ? 'ACTIVE' : 'PAUSED')
}

export function stepAt(next: ScheduleData['next']): Date | 'rest' {
  return next === null ? 'rest' : new Date(next)
}
