import { filesOutsidePlan, isTestFile, type Plan } from './plan.ts'
import type { PrepareStep } from './run-config.ts'
import type { ChangeSummary } from './story.ts'
import type { Manifest } from './verdict.ts'

export interface SummaryInput {
  /** What the editor said: what changed and why. */
  readonly said: string
  readonly plan: Plan | null
  readonly files: readonly { readonly path: string; readonly status: string }[]
  /** null when nothing was verified. */
  readonly manifest: Manifest | null
  /** Of the configuration that verified it. */
  readonly prepare: readonly PrepareStep[]
}

/** The summary of a change (seed, definition of done): what changed, why, how it was verified, and which tests cover it. */
export function summarize({ said, plan, files, manifest, prepare }: SummaryInput): ChangeSummary {
  const paths = files.map(({ path }) => path)
  const outsidePlan = plan === null ? [] : filesOutsidePlan(paths, plan)
  const tests = paths.filter(isTestFile)
  const named = plan?.tests ?? []
  const findings = prepare.flatMap((step) => dependencyFinding(step, paths) ?? [])
  const sections = [
    said.trim(),
    `## Files\n${files.length === 0 ? 'None changed.' : files.map(({ path, status }) => `- ${path} (${status})`).join('\n')}`,
    outsidePlan.length > 0 && `## Outside the plan\n${outsidePlan.map((path) => `- ${path}`).join('\n')}`,
    findings.length > 0 && `## Findings\n${findings.map((finding) => `- ${finding}`).join('\n')}`,
    `## Verified\n${manifest === null ? 'Not verified: this was a dry run.' : verified(manifest)}`,
    `## Tests\n${testSection(tests, named)}`,
  ]
  return { text: sections.filter(Boolean).join('\n\n'), files: paths, outsidePlan, findings, tests }
}

/** The change decides what is installed: a reviewer must know. */
function dependencyFinding({ name, command, inputs }: PrepareStep, changed: readonly string[]): string | null {
  const its = changed.filter((path) => inputs.some((input) => path === input || path.startsWith(`${input}/`)))
  if (its.length === 0) return null
  return `${its.join(', ')} changed, which ${name} (\`${command}\`) works from: the dependencies are this change’s own`
}

function verified(manifest: Manifest): string {
  const commands = manifest.commands_executed.map(
    ({ command, exit_code, duration_ms }) =>
      `- \`${command}\`: exit code ${exit_code} in ${(duration_ms / 1_000).toFixed(1)} s`,
  )
  const tree =
    manifest.limits.writes === 'overlay' ? 'clean checkout, writes in a layer of their own' : 'clean read-only checkout'
  const where = `commit ${manifest.commit_sha.slice(0, 12)}, ${tree}, no network, ${manifest.platform.sandbox}`
  return `${manifest.status}, run_id ${manifest.run_id} (${where})\n${commands.join('\n')}`
}

function testSection(changed: readonly string[], named: readonly string[]): string {
  if (changed.length > 0) return `Changed with it:\n${changed.map((path) => `- ${path}`).join('\n')}`
  if (named.length > 0)
    return `No test file changed; the plan names as covering it:\n${named.map((path) => `- ${path}`).join('\n')}`
  return 'No test is known to cover this change: none was changed and the plan names none.'
}
