import { formatDuration } from '../figures-text.ts'
import type { FileOfKind } from '../gate/file-kind.ts'
import type { TrackedFinding } from '../gate/finding.ts'
import { heldByGate, type Proof } from '../gate/gate-finding.ts'
import { limits } from '../limits.ts'
import { fewNames, nameList } from '../name-list.ts'
import { assuranceLines, isHeldByTests } from '../verification/assurance-text.ts'
import { describeServices } from '../verification/services-report.ts'
import { type TestCounts, testsRemark } from '../verification/tests-seen.ts'
import type { Manifest } from '../verification/verdict.ts'
import { filesOutsidePlan, isTestFile, type Plan } from './plan.ts'
import type { ChangeSummary } from './story.ts'

interface SummarizedFile {
  readonly path: string
  readonly status: string
  /** The old path of a renamed file. */
  readonly from?: string
  readonly edited?: true
}

export interface SummaryInput {
  /** The editor's words: what changed and why. */
  readonly said: string
  /** Notes for people on the origin of the change, a sentence each. */
  readonly notes: readonly string[]
  readonly plan: Plan | null
  readonly files: readonly SummarizedFile[]
  /** Null when nothing was verified. */
  readonly manifest: Manifest | null
  /** The summary names the gate's findings. */
  readonly findings: readonly TrackedFinding[]
}

/**
 * The summary of a change (seed, definition of done): what changed, why, how it was verified, and
 * which tests cover it.
 */
export function summarize({ said, notes, plan, files, manifest, findings }: SummaryInput): ChangeSummary {
  const touched = files.flatMap(touchedBy)
  const paths = touched.map(({ path }) => path)
  const outsidePlan = plan === null ? [] : filesOutsidePlan(paths, plan)
  const tests = touched.filter(({ path }) => isTestFile(path))
  const planned = plan?.tests ?? []
  const gate = heldByGate(findings)
  const sections = [
    said.trim().replaceAll(/^(?=#)/gm, '\\'),
    notes.length > 0 && `## Notes\n${notes.map((note) => `- ${note}`).join('\n')}`,
    `## Files\n${files.length === 0 ? 'None changed.' : fileLines(touched, manifest?.files)}`,
    outsidePlan.length > 0 && `## Outside the plan\n${nameList(outsidePlan)}`,
    gate.length > 0 && `## Findings of the gate\n${gate.map(findingLine).join('\n')}`,
    `## Verified\n${manifest === null ? 'Not verified: this was a dry run.' : verified(manifest)}`,
    `## Tests\n${testSection(tests, planned, manifest)}`,
  ]
  const facts = manifest === null ? [] : testFacts(manifest)
  return {
    text: sections.filter(Boolean).join('\n\n'),
    facts,
    ...named({ files: paths, outsidePlan, tests: tests.filter(({ gone }) => !gone).map(({ path }) => path) }),
  }
}

type Lists = Pick<ChangeSummary, 'files' | 'outsidePlan' | 'tests'>

/**
 * The lists as they are stored and sent: the first names of each, with totals if names are left
 * out.
 */
function named({ files, outsidePlan, tests }: Lists): Lists & Pick<ChangeSummary, 'counts'> {
  const most = limits.report.names
  const lists = { files: files.slice(0, most), outsidePlan: outsidePlan.slice(0, most), tests: tests.slice(0, most) }
  if (files.length <= most) return lists
  return { ...lists, counts: { files: files.length, outsidePlan: outsidePlan.length, tests: tests.length } }
}

interface FileSummary {
  readonly path: string
  /** The kind of change to the path. */
  readonly what: string
  readonly gone: boolean
}

/**
 * Each path that existed before or exists now. A file that only resembles a removed one counts as
 * new.
 */
function touchedBy({ path, status, from, edited }: SummarizedFile): readonly FileSummary[] {
  if (from === undefined) return [{ path, what: status, gone: status === 'deleted' }]
  const what = edited ? `added; much of it is from ${from}` : `renamed from ${from}`
  return [
    { path, what, gone: false },
    { path: from, what: edited ? 'deleted' : `renamed to ${path}`, gone: true },
  ]
}

/** A line for each file, with its meaning for the gate if known. */
function fileLines(files: readonly FileSummary[], kinds: readonly FileOfKind[] = []): string {
  const known = new Map(kinds.map(({ path, is }) => [path, is]))
  return nameList(files.map(({ path, what }) => `${path} (${[what, known.get(path) ?? []].flat().join('; ')})`))
}

function findingLine({ id, claim, evidence, state }: TrackedFinding): string {
  const details = evidence
    .split('\n')
    .filter(Boolean)
    .map((line) => `\n  ${line}`)
  return `- ${id}${state === 'accepted' ? ' (accepted)' : ''}: ${claim}${details.join('')}`
}

function verified(manifest: Manifest): string {
  const commands = manifest.commands_executed.map(
    ({ command, exit_code, duration_ms, services }) =>
      `- \`${command}\`: exit code ${exit_code} in ${formatDuration(duration_ms)}${describeServices(services)
        .map((line) => `\n  - ${line}`)
        .join('')}`,
  )
  const tree =
    manifest.limits.writes === 'overlay' ? 'clean checkout, writes in a separate layer' : 'clean read-only checkout'
  const where = `commit ${manifest.commit_sha.slice(0, 12)}, ${tree}, no network, ${manifest.platform.sandbox}`
  return [
    `${manifest.status}, run_id ${manifest.run_id} (${where})`,
    ...commands,
    ...testFacts(manifest).map((fact) => `- ${fact}`),
  ].join('\n')
}

/** The facts about the tests in addition to the exit codes. */
function testFacts(manifest: Manifest): readonly string[] {
  const { status, tests, flaky = [], pre_existing = [], integrity } = manifest
  const proof = integrity?.proof
  return [
    (status === 'PASS' ? testsRemark(tests) : null) ?? (tests && testCounts(tests)),
    proof?.status === 'proven' &&
      `without the change its tests fail${proof.failing.length > 0 ? `: ${fewNames(proof.failing).join(', ')}` : ''}`,
    proof && proof.status !== 'not_applicable' && passingLine(proof),
    proof?.status === 'not_applicable' &&
      `Drydock did not try whether its tests fail without the change: ${proof.reason}`,
    flaky.length > 0 && `FLAKY, failed and passed without a change: ${fewNames(flaky).join(', ')}`,
    pre_existing.length > 0 && `also failing on the base commit, and allowed: ${fewNames(pre_existing).join(', ')}`,
    ...assuranceLines(manifest).map(({ text, more }) => [text, ...more].join('\n  - ')),
  ].filter((line) => typeof line === 'string')
}

function passingLine({ passing = [] }: Exclude<Proof, { status: 'not_applicable' }>): string | null {
  return passing.length === 0 ? null : `without the change these new tests pass, too: ${fewNames(passing).join(', ')}`
}

function testCounts({ passed, skipped, failed }: TestCounts): string {
  return `tests: ${passed} passed, ${skipped} skipped, ${failed} failed`
}

function testSection(touched: readonly FileSummary[], named: readonly string[], manifest: Manifest | null): string {
  const changed = touched.filter(({ gone }) => !gone)
  const removed = touched.filter(({ gone }) => gone)
  const without = removed.length > 0 && `No longer there:\n${fileLines(removed)}`
  return [coverage(changed, named, manifest), without].filter(Boolean).join('\n')
}

function coverage(changed: readonly FileSummary[], named: readonly string[], manifest: Manifest | null): string {
  if (changed.length > 0) return `Changed with it:\n${fileLines(changed)}`
  if (named.length > 0) return `No test file changed. The plan names these tests as covering it:\n${nameList(named)}`
  if (manifest !== null && isHeldByTests(manifest))
    return 'No test was changed and the plan names none. Tests that were there before hold hunks of this change.'
  return 'No test is known to cover this change: none was changed and the plan names none.'
}
