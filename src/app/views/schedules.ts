import { DrydockError } from '../../domain/drydock-error.ts'
import { type Schedule, scheduleMachine } from '../../domain/schedule/schedule.ts'
import type { CommandRow } from '../../ports/rows.ts'
import { pauserOf } from '../../workflow/schedule/change-schedule.ts'
import { reading } from '../reading.ts'
import type { RecordSource } from '../state-access.ts'

export type ListedSchedule = Pick<Schedule, 'id' | 'state' | 'data'>

/** The schedules that exist once every stored command is applied. */
export function readSchedules(drydock: RecordSource): Promise<readonly ListedSchedule[]> {
  return reading(drydock, async (records) => {
    const stored: readonly ListedSchedule[] = await records.machines({ kind: 'schedule' })
    const listed = (await records.pendingCommands()).reduce(after, stored)
    return listed.filter(({ state }) => state !== 'REMOVED')
  })
}

const states = { paused: 'PAUSED', resumed: 'ACTIVE', removed: 'REMOVED' } as const

function after(schedules: readonly ListedSchedule[], { command }: CommandRow): readonly ListedSchedule[] {
  if (command.kind !== 'schedule') return schedules
  const { run: id, change } = command
  if (change.event === 'added') return [...schedules, { id, state: 'ACTIVE', data: change.data }]
  const next = change.event === 'resumed' ? change.next : null
  return schedules.map((each) =>
    each.id === id
      ? { id, state: states[change.event], data: { ...each.data, next, pausedBy: pauserOf(change) } }
      : each,
  )
}

/** Finds a schedule by its name. Throws DrydockError `not_found`. */
export async function findSchedule(drydock: RecordSource, name: string): Promise<ListedSchedule> {
  const found = (await readSchedules(drydock)).find(({ id }) => id === scheduleMachine(name))
  if (found !== undefined) return found
  throw new DrydockError('not_found', `There is no schedule "${name}".`, { todo: 'See: drydock schedule list' })
}
