import { expect, test } from 'vitest'
import { ciSummary } from '../../src/app/text/ci/summary.ts'
import type { CiReport } from '../../src/domain/ci/ci-report.ts'
import { limits } from '../../src/domain/limits.ts'

const [base, head, verified] = ['a', 'b', 'c'].map((letter) => letter.repeat(40)) as [string, string, string]

const report = (more: Partial<CiReport> = {}): CiReport => ({
  range: { base, head, verified, how: 'The merge of the pull request.', commits: [head], count: 1 },
  verification: { status: 'FAIL', run_id: 'run_1', tail_log: 'it was red', artifact_paths: null, manifest: null },
  conflicts: [],
  findings: [],
  receipts: [],
  notes: [],
  requires: { receipts: false, findings: true },
  ...more,
})

test('the summary names what was verified, and ends with the log of a red run', () => {
  const text = ciSummary(report(), [])
  for (const line of [`Head: \`${head}\``, `Base: \`${base}\``, `Verified: \`${verified}\``])
    expect(text).toContain(line)
  expect(text).toMatch(/### End of the log\n\n`{3,}text\nit was red\n`{3,}\n$/)
})

test('the summary says nothing of a commit that was not verified, or of a log that there is not', () => {
  const { range } = report()
  const text = ciSummary(report({ range: { ...range, verified: null }, verification: null, conflicts: ['a.txt'] }), [])
  expect(text).not.toMatch(/Verified: `|End of the log/)
  expect(text).toContain('### Cannot be merged\n\n- `a.txt`')
})

test('the summary has the last lines of a long log', () => {
  const lines = Array.from({ length: 2 * limits.ci.logLines }, (_, i) => `line ${i + 1}`)
  const { verification } = report()
  const text = ciSummary(report({ verification: verification && { ...verification, tail_log: lines.join('\n') } }), [])
  expect(text).toContain(`\n${lines.at(-1)}\n`)
  expect(text).not.toContain('line 1\n')
})
