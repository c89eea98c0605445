import type { AttemptRecord } from '../../domain/bench/attempt-record.ts'
import { type ArmSummary, summarizeArms, summarizeTasks, type TaskSummary } from '../../domain/bench/summarize.ts'

/** The content of `report.json`. */
export interface BenchReport {
  readonly suite: string
  readonly version: string
  /** The models as given on the command line. */
  readonly models: string
  readonly play: string | null
  readonly arms: readonly ArmSummary[]
  readonly tasks: readonly TaskSummary[]
  readonly attempts: readonly AttemptRecord[]
}

export function benchReport(
  about: Pick<BenchReport, 'suite' | 'version' | 'models' | 'play'>,
  attempts: readonly AttemptRecord[],
): BenchReport {
  return { ...about, arms: summarizeArms(attempts), tasks: summarizeTasks(attempts), attempts }
}
