import { limits } from '../limits.ts'
import type { Verification } from '../verification/verification.ts'
import { isEnded, type Run } from './run.ts'

export interface RetentionInput {
  readonly verifications: readonly Verification[]
  readonly runs: readonly Run[]
  readonly now: Date
}

/**
 * The verifications whose artifacts stay (seed: coding-agent-workflow, invariant 8). For ended Runs
 * these are the newest 20, and all of the newest such Run, unless older than 14 days. For a Run in
 * progress, or with an unresolved stuck report, all stay. A cancelled verification leaves nothing,
 * unless its merge resumes under the same id.
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
 * True for a Run that ended without DONE, and was neither retried to DONE nor cancelled: a human
 * still needs its report and logs.
 */
export function isUnresolved({ state, data }: Run): boolean {
  return data.request.kind === 'task' && (state === 'STUCK' || state === 'INFRA_ERROR')
}
