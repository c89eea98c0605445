import {
  type CiFinding,
  type CiReceipt,
  type CiReport,
  outcomeOfCi,
  receiptWords,
  worstFirst,
} from '../../../domain/ci/ci-report.ts'
import { formatDuration } from '../../../domain/figures-text.ts'
import { placeOf } from '../../../domain/gate/finding-line.ts'
import { limits } from '../../../domain/limits.ts'
import { capText, lastLines } from '../../../domain/text.ts'
import { testsRemark } from '../../../domain/verification/tests-seen.ts'
import { whyFailed } from '../../../domain/verification/why-failed.ts'
import { inertBlock, inertWords } from '../inert-markdown.ts'
import type { FailedTest } from './annotations.ts'

/**
 * The summary of a job, in Markdown. Text of other authors is shown as code, so that it cannot
 * contain a link or HTML. If the summary is too long, whole sections are dropped from its end.
 */
export function ciSummary(report: CiReport, failed: readonly FailedTest[]): string {
  const { code, sentence } = outcomeOfCi(report)
  const { range, verification, conflicts, findings, receipts, notes } = report
  const sections = [
    `## Drydock: ${code}\n\n${sentence}`,
    list([
      `Head: \`${range.head}\``,
      `Base: \`${range.base}\`, where configuration and commands come from`,
      ...(range.verified === null ? [] : [`Verified: \`${range.verified}\``]),
      range.how,
      ...notes.map((note) => inertWords(cut(note))),
    ]),
    section('Cannot be merged', some(conflicts.map(inertWords))),
    gate(report),
    section('Failing tests', some(failed.map(({ id }) => inertWords(cut(id))))),
    section('Findings of the gate', findingsTable(findings)),
    section('Receipts', receiptsTable(worstFirst(receipts))),
    verification?.status === 'FAIL' && verification.tail_log
      ? section('End of the log', tail(verification.tail_log))
      : '',
    section('What the findings say', evidence(findings)),
  ].filter(Boolean)
  return fitted(sections)
}

function gate({ verification }: CiReport): string {
  if (verification === null) return ''
  const { status, run_id, manifest } = verification
  const tests = manifest?.tests
  const remark = status === 'PASS' ? testsRemark(tests) : null
  const why = whyFailed(verification)
  const facts = [
    `Verdict: ${[status, remark, `\`${run_id}\``].filter(Boolean).join(', ')}`,
    ...(why === null ? [] : [`Why: ${inertWords(why)}`]),
    ...(tests ? [`Tests: ${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`] : []),
  ]
  const rows = (manifest?.commands_executed ?? []).map(
    ({ name, command, exit_code: exit, timed_out: late, duration_ms: ms }) =>
      `| ${inertWords(cut(name))} | ${inertWords(cut(command))} | ${late ? 'timed out' : (exit ?? 'killed')} | ${formatDuration(ms)} |`,
  )
  return section('The gate', `${list(facts)}\n\n${table(['step', 'command', 'exit', 'time'], rows)}`)
}

function findingsTable(findings: readonly CiFinding[]): string {
  const who = { setting: 'accepted', receipt: 'accepted in a proven receipt' }
  const rows = findings.map(({ id, kind, file, line, claim, acceptedBy }) => {
    const where = inertWords(cut(placeOf({ file, line })))
    return `| \`${id}\` | ${kind} | ${where} | ${inertWords(cut(claim))} | ${acceptedBy === null ? '**open**' : who[acceptedBy]} |`
  })
  return table(['id', 'kind', 'where', 'claim', 'state'], rows)
}

function evidence(findings: readonly CiFinding[]): string {
  return findings
    .filter(({ evidence, acceptedBy }) => evidence !== '' && acceptedBy === null)
    .slice(0, limits.ci.listed)
    .map(({ id, evidence }) => `\`${id}\`\n\n${inertBlock(capText(evidence, limits.ci.evidenceChars))}`)
    .join('\n\n')
}

function receiptsTable(receipts: readonly CiReceipt[]): string {
  const rows = receipts.map((receipt) => {
    const story = receipt.state === 'proven' ? ` Story ${inertWords(cut(receipt.story))}.` : ''
    return `| \`${receipt.commit.slice(0, 12)}\` | ${receiptWords(receipt)}${story} |`
  })
  return table(['commit', 'receipt'], rows)
}

function tail(log: string): string {
  return inertBlock(lastLines(log, limits.ci.logLines).slice(-limits.ci.logChars))
}

function section(title: string, text: string): string {
  return text === '' ? '' : `### ${title}\n\n${text}`
}

function table(head: readonly string[], rows: readonly string[]): string {
  if (rows.length === 0) return ''
  const shown = rows.slice(0, limits.ci.listed)
  const lines = [`| ${head.join(' | ')} |`, `|${' --- |'.repeat(head.length)}`, ...shown].join('\n')
  return rows.length > shown.length ? `${lines}\n\nAnd ${rows.length - shown.length} more.` : lines
}

function some(items: readonly string[]): string {
  const more = items.length - limits.ci.listed
  return list([...items.slice(0, limits.ci.listed), ...(more > 0 ? [`and ${more} more`] : [])])
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n')
}

function cut(text: string): string {
  return text.length <= limits.ci.lineChars
    ? text
    : `${text.slice(0, limits.ci.lineChars).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Keeps only whole sections, since a truncated code block would swallow the rest. */
function fitted(sections: readonly string[]): string {
  const text = `${sections.join('\n\n')}\n`
  if (Buffer.byteLength(text) <= limits.ci.summaryBytes || sections.length === 1) return text
  return fitted(sections.slice(0, -1))
}
