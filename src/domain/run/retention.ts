import { limits } from '../limits.ts'
import type { Verification } from '../verification/verification.ts'
import { isEnded, type Run } from './run.ts'

export interface RetentionInput {
  readonly verifications: readonly Verification[]
  readonly runs: readonly Run[]
  readonly now: Date
}

/**
 * The verifications whose artifacts stay (seed: coding-agent-workflow, invariant 8): of Runs that
 * have ended the newest 20, and all of the newest such Run, as long as they are not older than 14
 * days; of a Run in progress, or whose stuck report is not resolved, all. One that was cancelled
 * leaves nothing, but that of a merge which is taken up again under its id.
 */
export function kept({ verifications, runs, now }: RetentionInput): ReadonlySet<string> {
  const byId = new Map(runs.map((run) => [run.id, run]))
  const oldest = new Date(now.getTime() - limits.artifactDays * 86_400_000).toISOString()
  const isHeld = (verification: Verification) => holds(byId.get(verification.run))
  const there = verifications.filter(
    (verification) => verification.state !== 'CANCELLED' || (verification.data.merge !== null && isHeld(verification)),
  )
  const held = there.filter((verification) => verification.state === 'REQUESTED' || isHeld(verification))
  const past = there
    .filter((verification) => !held.includes(verification))
    .toSorted((a, b) => (a.data.requestedAt < b.data.requestedAt ? 1 : -1))
    .filter(({ run }, i, [newest]) => i < limits.artifactRuns || run === newest?.run)
    .filter(({ data }) => data.requestedAt >= oldest)
  return new Set([...held, ...past].map(({ data }) => data.runId))
}

function holds(run: Run | undefined): boolean {
  return run !== undefined && (!isEnded(run.state) || isUnresolved(run))
}

/**
 * Ended without DONE and neither retried to DONE nor cancelled since: a human still needs its
 * report and logs.
 */
export function isUnresolved({ state, data }: Run): boolean {
  return data.request.kind === 'task' && (state === 'STUCK' || state === 'INFRA_ERROR')
}
