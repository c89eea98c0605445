import { type CiReport, openFindings, outcomeOfCi, receiptWords } from '../../../domain/ci/ci-report.ts'
import { limits } from '../../../domain/limits.ts'
import { plainLine, plainText } from '../../../domain/plain-text.ts'
import type { TestResult } from '../../../domain/verification/test-results.ts'
import { whyFailed } from '../../../domain/verification/why-failed.ts'

/** A message about a change, with its place if it has one. Plain text. */
export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice'
  /** The kind of annotation, as a single word. */
  readonly kind: string
  readonly title: string
  readonly message: string
  /** A path from the root of the repository. */
  readonly file: string | null
  readonly line: number | null
}

/** A test that failed. `file` is set if its id names a file of the change. */
export interface FailedTest extends Pick<TestResult, 'id' | 'failure'> {
  readonly file: string | null
}

/** All annotations of a pipeline, the worst first and not yet limited in number. */
export function annotationsOf(report: CiReport, failed: readonly FailedTest[]): readonly Annotation[] {
  const { verification, conflicts, receipts, requires, range } = report
  const outcome = outcomeOfCi(report)
  const about = (level: Annotation['level'], kind: string, more: Partial<Annotation>): Annotation => {
    const { title = '', message = '', file = null, line = null } = more
    const { titleChars, messageChars } = limits.ci
    return { level, kind, title: plainLine(title, titleChars), message: plainText(message, messageChars), file, line }
  }
  const tests = verification?.status === 'FAIL' ? failed : []
  const why = verification === null || tests.length > 0 ? null : whyFailed(verification)
  const kind = outcome.code.toLowerCase()
  const missing = receipts.filter(({ state }) => state === 'missing' || state === 'unchecked')
  return [
    ...conflicts.map((file) =>
      about('error', 'conflict', { title: 'Conflict with the base', message: `${file} cannot be merged.`, file }),
    ),
    ...(verification !== null && why !== null
      ? [about('error', kind, { title: `Drydock: ${verification.status}`, message: why })]
      : []),
    ...tests.map(({ id, failure, file }) =>
      about('error', 'test_failed', {
        title: 'A test failed',
        message: [id, failure].filter(Boolean).join('\n'),
        file,
      }),
    ),
    ...receipts.flatMap((receipt) =>
      receipt.state === 'refused'
        ? [
            about('error', receipt.fault, {
              title: 'A receipt is not proven',
              message: `${receipt.commit.slice(0, 12)}: ${receiptWords(receipt)}`,
            }),
          ]
        : [],
    ),
    ...(missing.length > 0
      ? [
          about(requires.receipts ? 'error' : 'notice', 'receipt_missing', {
            title: `${missing.length} of ${range.count} commits without a proven receipt`,
            message: missing
              .slice(0, limits.ci.listed)
              .map((each) => `${each.commit.slice(0, 12)}: ${receiptWords(each)}`)
              .join('\n'),
          }),
        ]
      : []),
    ...openFindings(report).map(({ id, kind, claim, file, line }) =>
      about(requires.findings ? 'error' : 'warning', kind, {
        title: `Gate finding ${kind}`,
        message: `${claim}\nIts id: ${id}`,
        file: file || null,
        line: line ?? null,
      }),
    ),
  ]
}
