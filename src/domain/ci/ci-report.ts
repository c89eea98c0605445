import { errorCatalogue } from '../drydock-error.ts'
import type { GateFinding } from '../gate/gate-finding.ts'
import type { ReceiptFault } from '../verification/receipt-fault.ts'
import { testsRemark } from '../verification/tests-seen.ts'
import type { VerifierResponse } from '../verification/verdict.ts'

/** The range of commits that a pipeline looks at. */
export interface CiRange {
  /** The commit that configuration and commands come from. */
  readonly base: string
  readonly head: string
  /** The commit that the gate verifies: the head, or its merge with the base. */
  readonly verified: string
  /** One or two sentences on the choice of `verified`. */
  readonly how: string
  /** The newest commits of the change, and their total number. */
  readonly commits: readonly string[]
  readonly count: number
}

/** The state of a commit's receipt. `unchecked`: no key was named. */
export type CiReceipt =
  | { readonly commit: string; readonly state: 'proven'; readonly key: string; readonly story: string }
  | { readonly commit: string; readonly state: 'missing' | 'unchecked' }
  | { readonly commit: string; readonly state: 'refused'; readonly fault: ReceiptFault; readonly key: string | null }

export interface CiFinding extends GateFinding {
  /** The setting or receipt that accepted the finding; null while it is open. */
  readonly acceptedBy: 'setting' | 'receipt' | null
}

export type CiCode = 'PASS' | 'FAIL' | 'FINDINGS' | 'NOT_PROVEN' | 'CONFLICT' | 'INFRA_ERROR'

/** The report that a pipeline gets. */
export interface CiReport {
  readonly range: Omit<CiRange, 'verified'> & { readonly verified: string | null }
  /** The gate's response; null where the gate could not start. */
  readonly verification: VerifierResponse | null
  /** Files that cannot be merged. */
  readonly conflicts: readonly string[]
  readonly findings: readonly CiFinding[]
  readonly receipts: readonly CiReceipt[]
  /** Requirements: each commit must have a receipt, and findings must be accepted. */
  readonly requires: { readonly receipts: boolean; readonly findings: boolean }
  /** Further notes, as sentences. */
  readonly notes: readonly string[]
}

export interface CiOutcome {
  readonly code: CiCode
  readonly sentence: string
  readonly exit: number
}

/** Receipts that make the outcome red. */
function badReceipts({ receipts, requires }: Pick<CiReport, 'receipts' | 'requires'>): readonly CiReceipt[] {
  return receipts.filter(({ state }) => state === 'refused' || (requires.receipts && state !== 'proven'))
}

/** Refused receipts come first, since a list may be cut. */
export function worstFirst(receipts: readonly CiReceipt[]): readonly CiReceipt[] {
  return receipts.toSorted((a, b) => Number(b.state === 'refused') - Number(a.state === 'refused'))
}

export function openFindings({ findings }: Pick<CiReport, 'findings'>): readonly CiFinding[] {
  return findings.filter(({ acceptedBy }) => acceptedBy === null)
}

/**
 * One outcome, the worst first. Problems of the change come before problems of the machine, since
 * only the latter may go away by themselves.
 */
export function outcomeOfCi(report: CiReport): CiOutcome {
  const { verification, range, requires, conflicts } = report
  const bad = badReceipts(report).length
  const unseen = requires.receipts ? range.count - range.commits.length : 0
  const open = openFindings(report).length
  if (conflicts.length > 0)
    return outcome('CONFLICT', `The change and its base both changed ${count(conflicts.length, 'file')}.`)
  if (verification?.status === 'FAIL') return outcome('FAIL', 'The verification failed.')
  if (bad + unseen > 0)
    return outcome('NOT_PROVEN', `${count(bad + unseen, 'commit')} without a receipt that is proven.`)
  if (verification?.status !== 'PASS') return outcome('INFRA_ERROR', 'The infrastructure failed, not the change.')
  if (open > 0 && requires.findings)
    return outcome('FINDINGS', `The steps passed, but nobody has accepted ${count(open, 'finding')} of the gate.`)
  const remark = testsRemark(verification.manifest?.tests)
  const but = remark === null ? '' : `, but ${remark}`
  return outcome(
    'PASS',
    `The steps passed${but}${open > 0 ? `, with ${count(open, 'open finding')} of the gate` : ''}.`,
  )
}

const exits: Readonly<Record<CiCode, number>> = {
  PASS: 0,
  FAIL: 3,
  FINDINGS: 3,
  NOT_PROVEN: 3,
  CONFLICT: 3,
  INFRA_ERROR: 4,
}

function outcome(code: CiCode, sentence: string): CiOutcome {
  return { code, sentence, exit: exits[code] }
}

/** One sentence for a receipt. */
export function receiptWords(receipt: CiReceipt): string {
  switch (receipt.state) {
    case 'proven':
      return 'Its receipt is proven.'
    case 'missing':
      return 'It has no receipt.'
    case 'unchecked':
      return 'It has a receipt that was not checked: no key is trusted here.'
    case 'refused':
      return `${errorCatalogue[receipt.fault].what} (${receipt.fault})`
    default:
      throw new Error(`unknown receipt ${receipt satisfies never}`)
  }
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`
}
