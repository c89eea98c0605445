import type { Machine, MachineTable } from '../machine.ts'
import type { KeptOptions } from '../run/kept-options.ts'

export const scheduleStates = ['ACTIVE', 'PAUSED', 'REMOVED'] as const

export type ScheduleState = (typeof scheduleStates)[number]

export const scheduleEvents = ['due', 'paused', 'resumed', 'removed'] as const

export type ScheduleEvent = (typeof scheduleEvents)[number]

/**
 * The schedule machine as data. ACTIVE: a step waits for the next time, and `due` starts a Run or
 * records why not.
 */
export const scheduleTable: MachineTable<ScheduleState, ScheduleEvent> = {
  ACTIVE: { due: 'ACTIVE', paused: 'PAUSED', removed: 'REMOVED' },
  PAUSED: { resumed: 'ACTIVE', removed: 'REMOVED' },
  REMOVED: {},
}

/** The scheduled work: a spec whose file is read at that time, or a task. */
export type ScheduledWork =
  | { readonly kind: 'spec'; readonly file: string; readonly asIs: boolean }
  | { readonly kind: 'task'; readonly text: string }

/** The result of one due time. */
export interface ScheduleTick {
  /**
   * ISO 8601; the due time, and the time when a process noticed, which is later if none was
   * working.
   */
  readonly due: string
  readonly at: string
  readonly outcome: 'started' | 'skipped' | 'failed'
  /** The Run that was started, or the earlier one that was still in progress. */
  readonly run: string | null
  /** The reason why none was started. */
  readonly note: string | null
}

export interface ScheduleData {
  /** Five fields, or a word such as `@daily`. */
  readonly cron: string
  /** The IANA name of a time zone. */
  readonly timezone: string
  readonly work: ScheduledWork
  /** Options for the schedule's Runs; all else comes from the configuration at that time. */
  readonly options: KeptOptions
  /** ISO 8601; null when the expression has no later time. */
  readonly next: string | null
  readonly last: ScheduleTick | null
  /** The Run that the schedule started last. */
  readonly run: string | null
  /** In PAUSED: the person who paused it; missing where an older Drydock did. */
  readonly pausedBy?: string | null
}

/** The machine's `run` is its own id, since it belongs to no Run. */
export type Schedule = Machine<ScheduleState, ScheduleData, 'schedule'>

/** The id of a schedule's machine, which never equals that of a Run. */
export function scheduleMachine(name: string): string {
  return `schedule/${name}`
}

/** The schedule's name for people. */
export function scheduleName(machine: string): string {
  return machine.slice(machine.indexOf('/') + 1)
}

/** The state of a schedule, with the person who paused it. */
export function shownSchedule(state: Schedule['state'], pausedBy: string | null): string {
  return state === 'PAUSED' ? `PAUSED by ${pausedBy ?? 'hand'}` : state
}
