import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createReceipts } from '../../src/adapters/receipts/receipts.ts'
import { keyFileOf } from '../../src/adapters/receipts/signing-key.ts'
import { receiptOf, type UnsignedReceipt } from '../../src/domain/verification/receipt.ts'

export const commit = 'c'.repeat(40)
export const tree = 'd'.repeat(40)

/** The facts about a merge, some replaced by a test. */
export function unsigned(more: Partial<Parameters<typeof receiptOf>[0]> = {}): UnsignedReceipt {
  return receiptOf({
    made_at: '2026-11-03T10:00:00.000Z',
    run: { id: 'make-the-files-000000', kind: 'spec', branch: 'drydock/make-the-files' },
    story: { id: 'one', title: 'Make one' },
    base: 'a'.repeat(40),
    onto: 'b'.repeat(40),
    approved_commit: 'e'.repeat(40),
    manifest: {
      run_id: 'run_20261103_100000_abcdef',
      timestamp_start: '2026-11-03T10:00:00.000Z',
      timestamp_end: '2026-11-03T10:00:01.000Z',
      commit_sha: commit,
      tree_sha: tree,
      base_sha: 'a'.repeat(40),
      status: 'PASS',
      commands_executed: [{ name: 'test', command: 'npm test', exit_code: 0, duration_ms: 812, timed_out: false }],
      platform: { os: 'linux', arch: 'x64', sandbox: 'bubblewrap' },
      limits: {},
    },
    reviewer: { agent: 'architect', model: 'anthropic:claude', request: 'code/one', round: 1, verdict: 'APPROVED' },
    findings: [],
    escalations: [],
    cost: { usd: 0.42, tokens: 1_200, calls: 7 },
    ...more,
  })
}

/** A separate installation in a folder that is removed with the test. */
export function installation(redact: (text: string) => string = (text) => text) {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-receipts-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  const [artifacts, state] = [join(folder, 'artifacts'), join(folder, 'state')]
  const receipts = createReceipts({ artifacts, installation: state, version: '1.2.3', redact })
  return { folder, artifacts, state, keyFile: keyFileOf(state), receipts }
}
