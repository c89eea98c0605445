import type { RunConfig } from '../domain/run/run-config.ts'
import { writesOf } from '../domain/run/step-writes.ts'
import { failingIn, flakyIn, isGreen } from '../domain/verification/reruns.ts'
import type { TestReport } from '../domain/verification/test-results.ts'
import { hasFewerResults, resultsIn } from '../domain/verification/unended.ts'
import type { CommandRecord, InfraError } from '../domain/verification/verdict.ts'
import { despiteExitCode } from '../domain/verification/why-failed.ts'
import type { OutputTail } from './output-tail.ts'
import { runAgain, runStep, type StepDeps, type StepPlace, type StepRun } from './run-step.ts'

/** The end of a verification. */
export type StepsEnd =
  | { readonly status: 'PASS' | 'FAIL' }
  | { readonly status: 'INFRA_ERROR'; readonly infra: InfraError }

/** The end of the steps. A thrown error is a value, since earlier steps have results. */
export type Outcome = StepsEnd | { readonly status: 'THROWN'; readonly error: unknown }

/** The results of the steps so far, however they end. */
export interface StepResults {
  readonly commands: readonly CommandRecord[]
  /** First results of steps that failed and ran again unchanged. */
  readonly reruns: readonly CommandRecord[]
  /** The last test report of each step that ran; null if no reader knows it. */
  readonly tests: ReadonlyMap<string, TestReport | null>
  /** Ids of tests that failed, and passed in the second run. */
  readonly flaky: readonly string[]
  /** Ids of failing tests that fail on the base commit, too. */
  readonly preExisting: readonly string[]
  /** Ids of those failing tests that were allowed to fail, which made their step green. */
  readonly allowed: readonly string[]
  /** True if the verification ended with a failure, but no test failed twice. */
  readonly onlyFlaky: boolean
  /**
   * True if the verification ended with failing tests, all of which fail on the base commit, too.
   */
  readonly onlyPreExisting: boolean
}

export const nothingShown: StepResults = {
  commands: [],
  reruns: [],
  tests: new Map(),
  flaky: [],
  preExisting: [],
  allowed: [],
  onlyFlaky: false,
  onlyPreExisting: false,
}

export interface Stepping extends StepPlace {
  readonly tail: OutputTail
  /**
   * Returns ids of tests that fail on the base commit, which takes a run of its steps, given the
   * tests so far. Null to neither examine failing steps nor stop at them: then only the tests of
   * each step matter.
   */
  readonly failingOnBase: ((tests: StepResults['tests']) => Promise<ReadonlySet<string>>) | null
  /** True if the first failing step still ends the run. */
  readonly untilRed?: boolean
}

/**
 * Runs the steps in order, each in a sandbox of its own, until one fails, or all of them; a timeout
 * is a failure. Never rejects.
 */
export async function runSteps(
  deps: StepDeps,
  stepping: Stepping,
  signal: AbortSignal,
): Promise<{ readonly shown: StepResults; readonly ended: Outcome }> {
  const { config, tail, write, failingOnBase } = stepping
  const say = (text: string) => write(Buffer.from(`\n[drydock] ${text}\n`))
  let shown = nothingShown
  let status: 'PASS' | 'FAIL' = 'PASS'
  try {
    for (const [i, step] of config.steps.entries()) {
      const numbered = { ...stepping, step, number: i + 1, before: shown.commands }
      const first = await runStep(deps, numbered, signal)
      if ('infra' in first) return { shown, ended: { status: 'INFRA_ERROR', ...first } }
      shown = withRun(shown, first)
      if (isGreen(first.record, first.report)) continue
      if (failingOnBase === null) {
        status = 'FAIL'
        if (stepping.untilRed) break
        continue
      }
      const second = await runAgain(deps, { ...numbered, first }, signal)
      if (second !== 'red') {
        if ('infra' in second) return { shown, ended: { status: 'INFRA_ERROR', ...second } }
        const isGreenNow = isGreen(second.record, second.report)
        const twice = { first, second, isGreenNow, ...flakyIn(first.report, second.report, { isGreen: isGreenNow }) }
        shown = withSecond(shown, twice)
        if (twice.flaky.length > 0) say(`FLAKY, failed and passed without a change: ${named(twice.flaky)}`)
        const known = twice.broken.length === 0 ? new Set<string>() : await failingOnBase(shown.tests)
        const settled = settle(shown, twice, { config, known })
        shown = settled.shown
        settled.words.forEach(say)
        if (settled.isGreen) continue
      }
      const { exit_code, timed_out } = shown.commands.at(-1) ?? first.record
      if (first.silent && !timed_out) say(`${step.name} ended with exit code ${exit_code}, and printed nothing`)
      const hint = writesOf(config, step) === 'deny' ? readOnlyHint(tail.text(), config) : null
      if (hint !== null) write(Buffer.from(hint))
      return { shown, ended: { status: 'FAIL' } }
    }
    return { shown, ended: { status } }
  } catch (error) {
    return { shown, ended: { status: 'THROWN', error } }
  }
}

function withRun(shown: StepResults, { record, report }: StepRun): StepResults {
  const tests = new Map(shown.tests).set(record.name, report)
  return { ...shown, commands: [...shown.commands, record], tests }
}

interface TwoRuns {
  readonly first: StepRun
  readonly second: StepRun
  readonly isGreenNow: boolean
  /** Tests that failed in one of the runs, and passed in the other. */
  readonly flaky: readonly string[]
  /** Tests that failed, and never passed. */
  readonly broken: readonly string[]
}

/** Replaces the first run's result by the second's, which decides. */
function withSecond(
  { reruns, flaky, commands, ...shown }: StepResults,
  { first, second, ...twice }: TwoRuns,
): StepResults {
  const before = { ...shown, commands: commands.slice(0, -1) }
  return withRun({ ...before, reruns: [...reruns, first.record], flaky: [...flaky, ...twice.flaky] }, second)
}

/**
 * Decides about a failed step by its second run. The step is green if its tests that fail twice
 * fail on the base commit as well (`known`), and the configuration allows each of them by id.
 */
function settle(
  shown: StepResults,
  { first, second, isGreenNow, flaky, broken }: TwoRuns,
  { config, known }: { readonly config: RunConfig; readonly known: ReadonlySet<string> },
): { readonly shown: StepResults; readonly isGreen: boolean; readonly words: readonly string[] } {
  const { name, timed_out, exit_code } = second.record
  if (isGreenNow) {
    if (!hasFewerResults(first.report, second.report)) return { shown, isGreen: true, words: [] }
    const [before, now] = [resultsIn(first.report), resultsIn(second.report)]
    const fewer = `${name}: exit code 0, but its second run has fewer results than the first: ${now} instead of ${before}`
    return { shown, isGreen: false, words: [fewer] }
  }
  const failing = failingIn(second.report)
  // Something other than a test may have failed the second time.
  const isExplained = !timed_out && failing.length > 0
  if (broken.length === 0)
    return { shown: { ...shown, onlyFlaky: isExplained && flaky.length > 0 }, isGreen: false, words: [] }
  const preExisting = broken.filter((id) => known.has(id))
  // A test that failed only once must also have been seen green, and an unread test may have
  // failed, too.
  const isKnown = isExplained && second.report?.truncated === false && flaky.length === 0
  const isOld = isKnown && preExisting.length === broken.length
  const meant = broken.filter((id) => config.allowFailing?.includes(id))
  const isAllowed = isOld && meant.length === broken.length
  const refused = meant.filter((id) => !known.has(id))
  const words: string[] = []
  if (preExisting.length > 0) words.push(`pre-existing, also fails on the base commit: ${named(preExisting)}`)
  if (refused.length > 0)
    words.push(`not allowed to fail, since it does not fail on the base commit: ${named(refused)}`)
  if (isAllowed) words.push(`${name} counts as green: each of these tests is allowed to fail`)
  else if (exit_code === 0) words.push(despiteExitCode(name, { count: failing.length, listed: named(failing) }))
  const more = {
    preExisting: [...shown.preExisting, ...preExisting],
    allowed: isAllowed ? [...shown.allowed, ...broken] : shown.allowed,
    onlyPreExisting: isOld && !isAllowed,
  }
  return { shown: { ...shown, ...more }, isGreen: isAllowed, words }
}

function named(ids: readonly string[]): string {
  return `${ids.slice(0, 20).join(', ')}${ids.length > 20 ? ` and ${ids.length - 20} more` : ''}`
}

const refusal = /EROFS|Read-only file system/i

/** Settings by which a tool leaves the repository alone, by what names it in an output. */
const settings: readonly { readonly tool: RegExp; readonly say: string }[] = [
  { tool: /vite-temp|vitest/i, say: 'vitest: --configLoader runner' },
  { tool: /tsbuildinfo|\btsc\b/i, say: 'tsc: --outDir and --tsBuildInfoFile below $ARTIFACT_DIR/build, or --noEmit' },
  { tool: /Cargo\.lock/, say: 'cargo: --locked' },
  { tool: /go\.(mod|sum)/, say: 'go: -mod=readonly' },
]

/**
 * The advice for a step that failed because the repository is read-only to it; null when its output
 * does not say so.
 */
function readOnlyHint(output: string, { source }: Pick<RunConfig, 'source'>): string | null {
  if (!refusal.test(output)) return null
  const known = settings.filter(({ tool }) => tool.test(output)).map(({ say }) => say)
  const how = known.length > 0 ? ` (${known.join('; ')})` : ''
  return `\n[drydock] A step cannot write into the repository. Let it write to $ARTIFACT_DIR/build${how}, or set "writes" of the step to "overlay" in ${source}.\n`
}
