import type { Verdict } from '../../domain/verification/verdict.ts'
import { dataSection } from './data-section.ts'

/** What `submit_change` is answered with when the lane goes on. */
export function verdictMessage(verdict: Verdict, nextSlice: string | null): string {
  if (verdict.status === 'PASS') {
    return `PASS (${verdict.runId}). The slice is verified. Next slice: ${nextSlice ?? 'none'}`
  }
  return `${verdict.status} (${verdict.runId}). The last lines of the log:\n${dataSection('log', verdict.tailLog ?? '(none)')}\n\nThe whole logs: artifact:${verdict.runId}/logs/combined.log. Find the cause, fix it, and hand the change in again, with your \`hypothesis\` of the cause.`
}

/** The verdict that such an answer begins with, and its verification; null for any other answer. */
export function verdictOf(answer: string): { readonly verdict: string; readonly runId: string } | null {
  const [verdict, runId] = /^(?:PASS|FAIL|INFRA_ERROR) \((run_\w+)\)/.exec(answer) ?? []
  return verdict === undefined || runId === undefined ? null : { verdict, runId }
}
