import { oneLine } from '../../app/text/one-line.ts'
import type { ReceiptCriterion } from '../../domain/acceptance/receipt-criteria.ts'
import { formatCount, formatDuration, formatUsd } from '../../domain/figures-text.ts'
import { findingLine } from '../../domain/gate/finding-line.ts'
import type { Receipt } from '../../domain/verification/receipt.ts'
import { describeServices } from '../../domain/verification/services-report.ts'
import { testsRemark } from '../../domain/verification/tests-seen.ts'

/**
 * A receipt for people, line by line. Its texts may come from strangers, so each stays on one line
 * and cannot control the terminal.
 */
export function describeReceipt(receipt: Receipt): readonly string[] {
  const { verification: gate, reviewer, run, story, cost } = receipt
  const facts = {
    Story: `${story.id}: ${story.title}${story.edited_by === undefined ? '' : ` (edited by ${story.edited_by})`}`,
    ...(story.handed_in_by !== undefined && { 'Handed in': 'by Drydock: its editor stopped calling tools' }),
    Commit: receipt.commit,
    Tree: receipt.tree,
    Base: receipt.base,
    'Merged onto': receipt.onto,
    Branch: run.branch,
    Repository: run.repository ?? null,
    Run: `${run.id} (${run.kind}), ${receipt.made_at}`,
    Verified: `${gate.status} in ${gate.run_id}, ${gate.sandbox}${gate.image === null ? '' : ` with ${gate.image}`} on ${gate.os} ${gate.arch}`,
    Tests: describeTests(gate),
    Flaky: gate.flaky.length === 0 ? null : gate.flaky.join(', '),
    'Failing on the base, too': gate.pre_existing.length === 0 ? null : gate.pre_existing.join(', '),
    'Roles of files': gate.roles ?? null,
    'Hunks not tried': gate.not_tried?.join(', ') ?? null,
    'Allowed to fail': gate.allowed === undefined ? null : gate.allowed.join(', '),
    Built: describeEditor(receipt),
    Reviewed:
      reviewer === null
        ? 'by nobody'
        : `${reviewer.verdict} by ${reviewer.agent === 'human' ? 'a human, who accepted the findings' : `${reviewer.agent} (${reviewer.model})`}, ${reviewer.request} round ${reviewer.round}, of ${receipt.approved_commit}`,
    'Landed anyway': describeAnyway(receipt),
    Cost: `${formatUsd(cost.usd)}, ${formatCount(cost.tokens)} tokens, ${cost.calls} calls`,
    Drydock: receipt.drydock.version,
  }
  return [
    ...Object.entries(facts).flatMap(([name, text]) => (text === null ? [] : [`${name}: ${oneLine(text)}`])),
    ...section(
      'Dependencies',
      gate.layers.map(({ key, outputs }) => `${key}: ${outputs.join(', ')}`),
    ),
    ...section(
      'Commands',
      gate.commands.flatMap((each) => [
        describeCommand(each),
        ...describeServices(each.services).map((line) => `- ${line}`),
      ]),
    ),
    ...section('Findings', receipt.findings.map(describeFinding)),
    ...section('Acceptance criteria', (receipt.acceptance ?? []).map(describeCriterion)),
    ...section('Questions to a human', receipt.escalations.map(describeEscalation)),
    ...leftOut(receipt),
  ]
}

/** The person who landed a held result, with the reason; null if nothing held it. */
function describeAnyway({ landed_anyway: landed }: Receipt): string | null {
  return landed === undefined ? null : `by ${landed.by}, though held by ${landed.held_by}: ${landed.reason}`
}

/** The foreign agent that was the editor; null for Drydock's own editor. */
function describeEditor({ editor }: Receipt): string | null {
  if (editor === undefined) return null
  const logins = editor.credentials.map((path) => `~/${path}`).join(', ')
  const who = `by the agent ${editor.agent}${editor.version === null ? '' : ` (${editor.version})`}`
  return logins === '' ? who : `${who}, which could read ${logins}`
}

function describeTests({ status, tests }: Receipt['verification']): string | null {
  const remark = status === 'PASS' ? testsRemark(tests) : null
  return remark ?? (tests && `${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`)
}

function section(title: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [`${title}:`, ...items.map((item) => `  ${oneLine(item)}`)]
}

function describeCommand(each: Receipt['verification']['commands'][number]): string {
  const end = each.timed_out ? 'timed out' : `exit ${each.exit_code}`
  return `${each.name}: ${each.command} (${end}, ${formatDuration(each.duration_ms)})`
}

function describeFinding({
  state,
  accepted_by,
  accepter,
  reason,
  raised_by,
  ...finding
}: Receipt['findings'][number]): string {
  const what =
    accepted_by === null
      ? state
      : `${state} by ${accepter === undefined ? accepted_by : `${accepter} (${accepted_by})`}`
  const why = accepted_by === null || reason === undefined ? '' : `: ${reason}`
  const who = `by ${raised_by === 'person' ? 'a person' : `the ${raised_by}`}`
  // The gate's own name their files themselves.
  return findingLine(raised_by === 'gate' ? { ...finding, file: '' } : finding, who, what + why)
}

function describeCriterion({ id, text, result, confirmed, judged }: ReceiptCriterion): string {
  const reason = judged?.reason ? `: ${judged.reason}` : ''
  const said = judged !== null ? `; test ${judged.decision} by ${judged.by}${reason}` : confirmed ? '; confirmed' : ''
  return `${id} ${result.replace('_', ' ')}: ${text}${said}`
}

function describeEscalation({ id, question, answer, answered_by }: Receipt['escalations'][number]): string {
  return `${id} ${question} -> ${answer === null ? 'not answered' : `${answered_by}: ${answer}`}`
}

function leftOut({ left_out: over }: Receipt): readonly string[] {
  const words = Object.entries(over).flatMap(([what, n]) => (n > 0 ? [`${n} ${what}`] : []))
  return words.length === 0 ? [] : [`Left out, because the size of a receipt is limited: ${words.join(', ')}`]
}
