import { followedBy, type Run } from '../../domain/run/run.ts'
import type { ForgeCall } from '../../ports/rows.ts'
import type { Records } from '../../ports/store.ts'

/** The change at a forge with the result of a Run, as Drydock last saw it. */
export interface ChangeOfRun {
  readonly number: number
  readonly url: string
  readonly state: 'open' | 'closed' | 'merged'
}

export async function readChangeOf(records: Records, run: Run): Promise<ChangeOfRun | null> {
  return changeIn(await records.forgeCalls(followedBy(run)?.run ?? run.id))
}

export function changeIn(calls: readonly ForgeCall[]): ChangeOfRun | null {
  const row = calls.findLast(({ call, finishedAt }) => call === 'openChange' && finishedAt !== null)
  const { number, url, state = 'open' } = (row?.answer ?? {}) as Partial<ChangeOfRun>
  return number === undefined || url === undefined ? null : { number, url, state }
}

/** The line about a change in the words that all interfaces use; null without a change. */
export function changeLine(change: ChangeOfRun | null): string | null {
  if (change === null) return null
  return `Pull request: ${change.url}${change.state === 'open' ? '' : ` (${change.state})`}`
}
