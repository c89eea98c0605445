import type { TestReport, TestResult } from '../../../domain/verification/test-results.ts'
import type { CommandRecord, VerifierResponse } from '../../../domain/verification/verdict.ts'

/** The test reports by step; null for a step that reported no tests. */
export type StepTests = Readonly<Record<string, TestReport | null>>

/** A JUnit report: one suite for the steps themselves, and one for each step that named tests. */
export function junit({ manifest }: Pick<VerifierResponse, 'manifest'>, tests: StepTests): string {
  const suites = [
    suite('drydock', (manifest?.commands_executed ?? []).map(stepCase)),
    ...Object.entries(tests).flatMap(([step, report]) =>
      report === null
        ? []
        : [
            suite(
              step,
              report.tests.map((test) => testCase(step, test)),
            ),
          ],
    ),
  ]
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>', ''].join('\n')
}

interface Case {
  readonly xml: string
  readonly outcome: TestResult['outcome']
}

function suite(name: string, cases: readonly Case[]): string {
  const count = (wanted: Case['outcome']) => cases.filter(({ outcome }) => outcome === wanted).length
  const counts = `tests="${cases.length}" failures="${count('failed')}" skipped="${count('skipped')}"`
  return [`<testsuite name="${escaped(name)}" ${counts}>`, ...cases.map(({ xml }) => xml), '</testsuite>'].join('\n')
}

function stepCase({ name, exit_code: exit, timed_out: late, duration_ms: ms }: CommandRecord): Case {
  const head = `<testcase classname="step" name="${escaped(name)}" time="${(ms / 1_000).toFixed(3)}"`
  if (exit === 0) return { xml: `${head}/>`, outcome: 'passed' }
  const end = late ? 'timed out' : `exit code ${exit ?? 'none: it was killed'}`
  return { xml: `${head}><failure message="${escaped(end)}"/></testcase>`, outcome: 'failed' }
}

function testCase(step: string, { id, outcome, failure = '' }: TestResult): Case {
  const head = `<testcase classname="${escaped(step)}" name="${escaped(id)}"`
  if (outcome === 'passed') return { xml: `${head}/>`, outcome }
  if (outcome === 'skipped') return { xml: `${head}><skipped/></testcase>`, outcome }
  return { xml: `${head}><failure message="failed">${escaped(failure)}</failure></testcase>`, outcome }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** Escapes text for XML and drops characters that XML does not allow. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/(?![\n\t])\p{Cc}|[\ufffe\uffff]/gu, '')
    .replaceAll(/[&<>"']/g, (char) => entities[char] ?? '')
}
