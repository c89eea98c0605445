import { formatDuration } from '../../domain/figures-text.ts'
import { lastLines } from '../../domain/text.ts'
import { describeServices } from '../../domain/verification/services-report.ts'
import { testsRemark } from '../../domain/verification/tests-seen.ts'
import type { VerifierResponse } from '../../domain/verification/verdict.ts'
import { whyFailed } from '../../domain/verification/why-failed.ts'

/** The result of a verification as Markdown: steps, tests, and the reason when it is not green. */
export function verificationText(response: VerifierResponse): string {
  const { status, run_id, manifest, tail_log: tail } = response
  const why = whyFailed(response)
  const { tests, failing = [], flaky = [], pre_existing: before = [] } = manifest ?? {}
  const steps = (manifest?.commands_executed ?? []).map((each) => {
    const { name, command, exit_code, duration_ms, timed_out, services = [] } = each
    const end = timed_out ? 'timed out' : `exit code ${exit_code ?? 'none (killed)'}`
    const beside = describeServices(services).map((line, i) => `  - ${line}, ${services[i]?.log}`)
    return [`${name}: \`${command}\`: ${end}, ${formatDuration(duration_ms)}`, ...beside].join('\n')
  })
  const remark = status === 'PASS' ? testsRemark(tests) : null
  const facts = [
    `Verdict: ${[status, remark, `run_id ${run_id}`].filter(Boolean).join(', ')}`,
    ...(why === null ? [] : [`Why: ${why}`]),
    ...(manifest ? [`Commit: ${manifest.commit_sha.slice(0, 12)}, in ${manifest.platform.sandbox}`] : []),
    ...(tests ? [`Tests: ${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`] : []),
  ]
  return [
    list(facts),
    ...section('Steps', steps),
    ...section('Failing tests', failing),
    ...section('Flaky tests, which failed and passed without a change', flaky),
    ...section('Failing on the base commit, too', before),
    ...(status === 'FAIL' && tail ? [`## End of the log\n\n\`\`\`\n${lastLines(tail, 30)}\n\`\`\``] : []),
    `The whole log: drydock log ${run_id}`,
  ].join('\n\n')
}

function section(name: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [`## ${name}\n\n${list(items)}`]
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n')
}
