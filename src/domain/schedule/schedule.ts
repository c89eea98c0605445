import type { Machine, MachineTable } from '../machine.ts'
import type { KeptOptions } from '../run/kept-options.ts'

export const scheduleStates = ['ACTIVE', 'PAUSED', 'REMOVED'] as const

export type ScheduleState = (typeof scheduleStates)[number]

export const scheduleEvents = ['due', 'paused', 'resumed', 'removed'] as const

export type ScheduleEvent = (typeof scheduleEvents)[number]

/**
 * The schedule machine as data. ACTIVE: its step waits for the next time, and `due` starts a Run or
 * says why it does not.
 */
export const scheduleTable: MachineTable<ScheduleState, ScheduleEvent> = {
  ACTIVE: { due: 'ACTIVE', paused: 'PAUSED', removed: 'REMOVED' },
  PAUSED: { resumed: 'ACTIVE', removed: 'REMOVED' },
  REMOVED: {},
}

/** What it starts: a spec whose file is read then, or a task. */
export type ScheduledWork =
  | { readonly kind: 'spec'; readonly file: string; readonly asIs: boolean }
  | { readonly kind: 'task'; readonly text: string }

/** What became of it when it was due. */
export interface ScheduleTick {
  /** ISO 8601: when it was due, and when that was seen, which is later if nobody worked then. */
  readonly due: string
  readonly at: string
  readonly outcome: 'started' | 'skipped' | 'failed'
  /** The Run that was started, or that still went on. */
  readonly run: string | null
  /** Why none was started. */
  readonly note: string | null
}

export interface ScheduleData {
  /** Five fields, or a word such as `@daily`. */
  readonly cron: string
  /** IANA name. */
  readonly timezone: string
  readonly work: ScheduledWork
  /** What its Runs are started with; the configuration decides the rest, each time anew. */
  readonly options: KeptOptions
  /** ISO 8601; null when the expression has no further time. */
  readonly next: string | null
  readonly last: ScheduleTick | null
  /** The Run that it started last. */
  readonly run: string | null
}

/** It belongs to no Run, so it is its own. */
export type Schedule = Machine<ScheduleState, ScheduleData, 'schedule'>

/** The id of its machine, which is never that of a Run. */
export function scheduleMachine(name: string): string {
  return `schedule/${name}`
}

/** The name that people have for it. */
export function scheduleName(machine: string): string {
  return machine.slice(machine.indexOf('/') + 1)
}
