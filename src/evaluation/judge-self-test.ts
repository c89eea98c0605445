import {
  type AttemptKey,
  type AttemptRecord,
  type AttemptVerdict,
  attemptName,
} from '../domain/bench/attempt-record.ts'
import type { Suite } from './suite/suite.ts'

export interface SelfTestLine {
  readonly attempt: string
  readonly expected: string
  readonly observed: string
  readonly ok: boolean
}

/** The verdict that the suite expects for a played solution; null if it expects none. */
export function expectedVerdict({ tasks }: Pick<Suite, 'tasks'>, { task, play }: AttemptKey): AttemptVerdict | null {
  if (play === 'gold') return 'resolved'
  if (play === 'empty') return 'blocked'
  return (play !== null && tasks.find(({ id }) => id === task)?.wrong[play]?.expect) || null
}

/** Compares the expected and the actual verdict of each played solution. */
export function judgeSelfTest(suite: Suite, records: readonly AttemptRecord[]): readonly SelfTestLine[] {
  return records.map((record) => {
    const task = suite.tasks.find(({ id }) => id === record.task)
    const play = record.play ?? ''
    const wanted = expectedVerdict(suite, record)
    const solution = play === 'gold' ? task?.gold : task?.wrong[play]
    const returns = solution?.returns ?? 0
    const most = returns === 0 ? '' : `, ${returns} returned`
    return {
      attempt: attemptName(record),
      expected: `${wanted}${most}`,
      observed: `${record.verdict}${record.returns === 0 ? '' : `, ${record.returns} returned`}`,
      ok: record.verdict === wanted && record.returns >= returns,
    }
  })
}
