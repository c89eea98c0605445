import type { Machine, MachineTable } from '../machine.ts'
import type { ScoutKind } from './scout-report.ts'

/** ASKED: the next try has not been opened yet. RUNNING: a lane works on the question. */
export const scoutQueryStates = ['ASKED', 'RUNNING', 'ANSWERED', 'FAILED', 'CANCELLED'] as const

export type ScoutQueryState = (typeof scoutQueryStates)[number]

export const scoutQueryEvents = ['opened', 'answered', 'try_failed', 'failed', 'cancelled'] as const

export type ScoutQueryEvent = (typeof scoutQueryEvents)[number]

/** The scout query machine as data. */
export const scoutQueryTable: MachineTable<ScoutQueryState, ScoutQueryEvent> = {
  ASKED: { opened: 'RUNNING', cancelled: 'CANCELLED' },
  RUNNING: { answered: 'ANSWERED', try_failed: 'ASKED', failed: 'FAILED', cancelled: 'CANCELLED' },
  ANSWERED: {},
  FAILED: {},
  CANCELLED: {},
}

export interface ScoutQueryData {
  readonly scout: ScoutKind
  readonly question: string
  /** Name of the story in lanes; `task` for a Run that only asks a scout. */
  readonly story: string
  /** Counts the queries to this scout in the story, from 1. */
  readonly n: number
  readonly attempt: number
  /** Replies of earlier tries; left out by older versions. */
  readonly requests?: number
  /** The failures of earlier tries. */
  readonly problems: readonly string[]
  readonly slot: string
  /** The lane that waits for the answer; null if the Run itself waits. */
  readonly asker: string | null
}

export type ScoutQuery = Machine<ScoutQueryState, ScoutQueryData, 'scout_query'>
