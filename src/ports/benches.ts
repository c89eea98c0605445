import type { AttemptRecord } from '../domain/bench/attempt-record.ts'
import type { BenchPlan, BenchSettings } from '../domain/bench/bench-plan.ts'

/** The folders that `drydock bench` of this installation has written to. */
export interface Benches {
  /** Those that still hold a bench, in no order. */
  list(): Promise<readonly KnownBench[]>
  /** Null for one that is not known, or that its folder no longer holds. */
  one(id: string): Promise<KnownBench | null>
}

/** The results of one bench, as they lie in its folder. */
export interface KnownBench {
  /** Names it in addresses. */
  readonly id: string
  readonly folder: string
  readonly settings: BenchSettings
  readonly plan: BenchPlan
  /** Whether the process that works on it runs. */
  readonly isGoing: boolean
  /** Attempts that have ended, without what hidden tests printed. */
  readonly records: readonly BriefRecord[]
  /** Attempts under way; those that a killed process has left are not. */
  readonly working: readonly { readonly name: string; readonly since: Date }[]
  /** When something was written last. */
  readonly writtenAt: Date
  /** Files of one attempt, by its name. Null where none has it. */
  record(name: string): Promise<AttemptRecord | null>
  /** What it has changed, cut where it is too long. */
  patch(name: string): Promise<Cut | null>
  /** Its newest events, one JSON object a line; cut at the front. */
  events(name: string): Promise<Cut | null>
}

export type BriefRecord = Omit<AttemptRecord, 'hidden'>

export interface Cut {
  readonly text: string
  readonly isCut: boolean
}
