import { notMet } from '../acceptance/acceptance-words.ts'
import { limits } from '../limits.ts'
import type { Manifest, VerifierResponse } from './verdict.ts'

const looksWrong = /error|fail|not ok|exception|panic|assert|traceback|cannot|undefined|missing|✗|✖|×|timed out|killed/i
/** Success totals contain words of failure, too. */
const saysNone = /\b(?:0|no) (?:errors?|failed|failures?|failing)\b|\bfail(?:ed|ures?|ing)?:? 0\b/i

/**
 * The reason why a verification was not green, in one line: its failing tests, or else the first
 * suspicious line of its log. Null for a PASS.
 */
export function whyFailed({ status, tail_log, manifest, error_type, error_message }: VerifierResponse): string | null {
  if (status === 'PASS') return null
  if (status === 'INFRA_ERROR') return cut(`${error_type ?? 'unknown'}: ${error_message ?? ''}`)
  if (manifest?.canaries?.status === 'deaf') return cut(`gate_deaf: ${manifest.canaries.reason ?? ''}`)
  if (manifest?.acceptance?.status === 'not_met') return notMet
  // A step before the last may have been green with allowed failures.
  const failing = (manifest?.failing ?? []).filter((id) => !manifest?.allowed?.includes(id))
  const last = manifest?.commands_executed.at(-1)
  if (failing.length > 0) {
    const also = manifest?.also_on_base === 'tests' ? ` (${allFailOnBase})` : ''
    if (last?.exit_code !== 0) return cut(`failing tests${also}: ${some(failing)}`)
    return cut(despiteExitCode(last.name, { count: last.tests?.failed ?? failing.length, listed: some(failing), also }))
  }
  const own = last?.exit_code === 0 ? ownWords(tail_log ?? '') : null
  if (own !== null) return cut(own)
  const lines = (tail_log ?? '').split('\n').filter((line) => line.trim() !== '' && !isRemark(line))
  const first = lines.find((line) => looksWrong.test(line) && !saysNone.test(line)) ?? lines.at(-1)
  const end = manifest && howItEnded(manifest)
  const also = alsoStep(manifest)
  const silent = `${end}, and printed nothing`
  if (lines.includes(`[drydock] ${silent}`)) return cut([also, silent].filter(Boolean).join(': '))
  return cut([also, end, first?.trim()].filter(Boolean).join(': ') || 'its log is empty')
}

export const allFailOnBase = 'all of these also fail on the base commit'

/** The step whose failure the base commit has as well; null for any other verdict. */
function alsoStep(manifest: Manifest | null): string | null {
  if (manifest?.also_on_base !== 'step') return null
  return `${manifest.commands_executed.at(-1)?.name} also fails on the base commit`
}

/** The message, with names, for a FAIL that the base commit has as well; otherwise null. */
export function alsoOnBase(response: VerifierResponse): string | null {
  return response.manifest?.also_on_base === 'tests' ? whyFailed(response) : alsoStep(response.manifest)
}

/** The reason why a step is red although it ended with 0. */
function ownWords(log: string): string | null {
  return /^\[drydock\] (.*: exit code 0, but .*)$/m.exec(log)?.[1] ?? null
}

/** A line about missing LFS content is not the failure. */
const isRemark = (line: string): boolean => line.startsWith('[drydock] Of Git LFS')

/** The result of the last step, which was not green; null if it ended with 0. */
export function howItEnded({ commands_executed }: Pick<Manifest, 'commands_executed'>): string | null {
  const step = commands_executed.at(-1)
  if (step === undefined || step.exit_code === 0) return null
  return step.timed_out
    ? `${step.name} timed out`
    : `${step.name} ended with exit code ${step.exit_code ?? 'none: it was killed'}`
}

/**
 * The log of a red verification, for whoever has to find the cause: the last line names the step.
 */
export function logWithEnd({ status, tail_log, manifest }: VerifierResponse): string | null {
  const end = status === 'FAIL' && manifest ? howItEnded(manifest) : null
  if (tail_log === null || end === null) return tail_log
  const last = tail_log.trimEnd().split('\n').at(-1) ?? ''
  return last.startsWith(`[drydock] ${end}`) ? tail_log : `${tail_log.trimEnd()}\n[drydock] ${end}`.trimStart()
}

/** The message for a step whose program reports success while its tests do not. */
export function despiteExitCode(
  step: string,
  { count, listed, also = '' }: { readonly count: number; readonly listed: string; readonly also?: string },
): string {
  return `${step}: exit code 0, but ${count} ${count === 1 ? 'test' : 'tests'} failed${also}: ${listed}`
}

function some(ids: readonly string[]): string {
  const more = ids.length - limits.report.failingTests
  return `${ids.slice(0, limits.report.failingTests).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function cut(line: string): string {
  return line.length <= limits.report.lineChars ? line : `${line.slice(0, limits.report.lineChars)}…`
}
