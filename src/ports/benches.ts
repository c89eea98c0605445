import type { AttemptRecord } from '../domain/bench/attempt-record.ts'
import type { BenchPlan, BenchSettings } from '../domain/bench/bench-plan.ts'

/** The folders that `drydock bench` of this installation has written to. */
export interface Benches {
  /** The folders that still hold a bench, in any order. */
  list(): Promise<readonly KnownBench[]>
  /** Null for an unknown bench, or one whose folder is gone. */
  one(id: string): Promise<KnownBench | null>
}

/** The results of one bench, as they lie in its folder. */
export interface KnownBench {
  /** The id in addresses. */
  readonly id: string
  readonly folder: string
  readonly settings: BenchSettings
  readonly plan: BenchPlan
  /** True if the bench's process runs. */
  readonly isGoing: boolean
  /** Ended attempts, without the output of hidden tests. */
  readonly records: readonly BriefRecord[]
  /** Attempts in progress, without those that a killed process left. */
  readonly working: readonly { readonly name: string; readonly since: Date }[]
  /** Time of the last write. */
  readonly writtenAt: Date
  /** Files of one attempt, by its name. Null without such an attempt. */
  record(name: string): Promise<AttemptRecord | null>
  /** The attempt's change, cut if it is too long. */
  patch(name: string): Promise<CutText | null>
  /** The attempt's newest events, one JSON object per line; cut at the front. */
  events(name: string): Promise<CutText | null>
}

export type BriefRecord = Omit<AttemptRecord, 'hidden'>

export interface CutText {
  readonly text: string
  readonly isCut: boolean
}
