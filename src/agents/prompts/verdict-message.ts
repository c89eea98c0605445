import type { Verdict } from '../../domain/verification/verdict.ts'
import { dataSection } from './data-section.ts'

/** The answer to `submit_change` when the lane continues. */
export function verdictMessage(verdict: Verdict, nextSlice: string | null): string {
  if (verdict.status === 'PASS') {
    return `PASS (${verdict.runId}). The slice is verified. Next slice: ${nextSlice ?? 'none'}`
  }
  const also = verdict.status === 'FAIL' && verdict.alsoOnBase ? ` ${sentenceOf(verdict.alsoOnBase)}` : ''
  return `${verdict.status} (${verdict.runId}).${also} The last lines of the log:\n${dataSection('log', verdict.tailLog ?? '(none)')}\n\n${wholeLog(verdict.runId)}Find the cause, fix it, and hand in the change again with your \`hypothesis\` of the cause.`
}

/** A failure that the base commit has as well is not the work's, and the work must not hide it. */
function sentenceOf(alsoOnBase: string): string {
  return `${alsoOnBase.charAt(0).toUpperCase()}${alsoOnBase.slice(1)}. Do not weaken or remove a test for it.`
}

function wholeLog(runId: string): string {
  return `The whole log: artifact:${runId}/logs/combined.log. `
}

/** The verdict's message for an agent without a tool that reads artifacts. */
export function withoutWholeLog(answer: string): string {
  const runId = verdictOf(answer)?.runId
  return runId === undefined ? answer : answer.replace(wholeLog(runId), '')
}

/** The verdict and verification at the start of such an answer. Null for any other answer. */
export function verdictOf(answer: string): { readonly verdict: string; readonly runId: string } | null {
  const [verdict, runId] = /^(?:PASS|FAIL|INFRA_ERROR) \((run_\w+)\)/.exec(answer) ?? []
  return verdict === undefined || runId === undefined ? null : { verdict, runId }
}
