import type { ReceiptLine } from '../../../api/receipts.ts'
import type { Receipt } from '../../../domain/verification/receipt.ts'
import type { CheckedReceipt } from '../../../domain/verification/receipt-fault.ts'
import type { CheckedCommit } from '../../../ports/receipts.ts'
import { faultOf } from '../../text/receipt-fault.ts'

interface Checking {
  readonly remote: string | null
  readonly at: Date
}

/** A commit with its receipt's state, as JSON for programs. */
export function receiptLine(checkedCommit: CheckedCommit, { remote, at }: Checking): ReceiptLine {
  const { commit, tree, checked, digest, subject } = checkedCommit
  const state = stateOf(checked)
  const error = checked.ok ? null : faultOf(checked, { commit, tree, remote })
  return {
    commit,
    subject,
    at: checkedCommit.at,
    state,
    key: checked.key,
    digest,
    fault: error && { code: error.code, message: error.message, todo: error.todo },
    // The content of an altered receipt is left out. A receipt with an unknown key may still be
    // genuine.
    said: (state === 'good' || state === 'unknown_key') && checked.receipt !== null ? saidIn(checked.receipt) : null,
    checked_at: at.toISOString(),
  }
}

function stateOf(checked: CheckedReceipt): ReceiptLine['state'] {
  if (checked.ok) return 'good'
  if (checked.fault === 'receipt_missing') return 'not_noted'
  return checked.fault === 'receipt_unknown_key' ? 'unknown_key' : 'broken'
}

function saidIn(receipt: Receipt): NonNullable<ReceiptLine['said']> {
  const { run, story, made_at, verification, findings, reviewer, escalations, landed_anyway = null } = receipt
  const counted = (state: 'open' | 'closed') => findings.filter((finding) => finding.state === state).length
  return {
    run: run.id,
    kind: run.kind,
    branch: run.branch,
    story,
    made_at,
    run_id: verification.run_id,
    verification: verification.run_id,
    status: verification.status,
    tests: verification.tests,
    steps: verification.commands.map(({ name, exit_code, duration_ms }) => ({ name, exit_code, duration_ms })),
    accepted: findings.flatMap(({ id, state, accepted_by: by, accepter: name = null, claim }) =>
      state === 'accepted' ? [{ id, by, name, claim }] : [],
    ),
    open: counted('open'),
    settled: counted('closed'),
    answered_by: [...new Set(escalations.flatMap(({ answered_by: by }) => (by === null || by === 'human' ? [] : by)))],
    landed_anyway,
    reviewer: reviewer && { agent: reviewer.agent, model: reviewer.model },
  }
}
