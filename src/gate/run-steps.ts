import { goingOn } from '../domain/gate/going-on.ts'
import type { RunConfig, VerificationStep } from '../domain/run/run-config.ts'
import { writesOf } from '../domain/run/step-writes.ts'
import { failingIn, flakyIn, isGreen } from '../domain/verification/reruns.ts'
import type { TestReport } from '../domain/verification/test-results.ts'
import { hasFewerResults, resultsIn } from '../domain/verification/unended.ts'
import type { CommandRecord, InfraError } from '../domain/verification/verdict.ts'
import { despiteExitCode } from '../domain/verification/why-failed.ts'
import type { RunFolder } from '../ports/artifacts.ts'
import type { Sandbox } from '../ports/sandbox.ts'
import type { TestReports } from '../ports/test-reports.ts'
import type { OutputTail } from './output-tail.ts'
import { readOnlyHint } from './read-only-hint.ts'
import { openStepServices, serviceEnds } from './step-services.ts'
import { createTestLog } from './test-log.ts'
import type { LookAtWritten, Rewritten } from './tracing/rewritten-files.ts'
import type { Watch } from './tracing/tracing.ts'
import type { VerificationPlace } from './verification-place.ts'

export type Write = (chunk: Uint8Array) => void

/** How a verification ends. */
export type Ended =
  | { readonly status: 'PASS' | 'FAIL' }
  | { readonly status: 'INFRA_ERROR'; readonly infra: InfraError }

/** The results of the steps so far, kept however they end. */
export interface Shown {
  readonly commands: CommandRecord[]
  /** Steps that failed and were run again unchanged: how they ended the first time. */
  readonly reruns: CommandRecord[]
  /**
   * What each step that has run said of its tests the last time; null when nothing that is known.
   */
  readonly tests: Map<string, TestReport | null>
  /** Ids of tests that failed, and passed when the step was run again. */
  readonly flaky: string[]
  /** Ids of failing tests that fail on the base commit, too. */
  readonly preExisting: string[]
  /** Those of them that were allowed to fail, which made their step green. */
  readonly allowed: string[]
  /** What steps have rewritten of that which is judged with, by path. */
  readonly rewritten: Map<string, Rewritten>
  /** It ended with a failure, but no test failed twice. */
  onlyFlaky: boolean
  /** It ended with failing tests, and each of them fails on the base commit, too. */
  onlyPreExisting: boolean
}

export interface Stepping {
  readonly config: RunConfig
  readonly folder: RunFolder
  readonly specFor: VerificationPlace['specFor']
  readonly tail: OutputTail
  readonly write: Write
  readonly shown: Shown
  readonly reports: TestReports
  /**
   * Ids of tests that fail on the base commit, which takes a run of its steps. Null where failing
   * steps are not looked into, and do not stop the others: what matters is what each says of its
   * tests.
   */
  readonly failingOnBase: (() => Promise<ReadonlySet<string>>) | null
  /** Records the reads of the steps; null where nobody asks. */
  readonly tracing: Watch | null
  /** Looks after each step at what it has written; null where it can write nothing. */
  readonly look: LookAtWritten | null
  /** The first failing step ends it all the same. */
  readonly untilRed?: boolean
  /**
   * Nobody wrote the tree: that a service does not come up there is its fault, and nobody else's.
   */
  readonly isTrial?: boolean
}

type Deps = { readonly sandbox: Sandbox; readonly log: (name: string) => ReturnType<RunFolder['openLog']> }

/**
 * The steps in order, each in a sandbox of its own, until one fails, or all of them; a timeout is a
 * failure.
 */
export async function runSteps(deps: Deps, stepping: Stepping, signal: AbortSignal): Promise<Ended> {
  const { config, tail, write, shown } = stepping
  let status: 'PASS' | 'FAIL' = 'PASS'
  for (const [i, step] of config.steps.entries()) {
    const numbered = { ...stepping, step, number: i + 1 }
    const ran = await runTraced(deps, numbered, signal)
    if ('infra' in ran) return { status: 'INFRA_ERROR', infra: ran.infra }
    shown.commands.push(ran.record)
    shown.tests.set(step.name, ran.report)
    if (isGreen(ran.record, ran.report)) continue
    if (stepping.failingOnBase === null) {
      status = 'FAIL'
      if (stepping.untilRed) break
      continue
    }
    const { failingOnBase } = stepping
    const settled = await settleFailure(deps, { ...numbered, failingOnBase, first: ran }, signal)
    if (settled === 'green') continue
    if (settled !== 'red') return { status: 'INFRA_ERROR', infra: settled }
    const { exit_code, timed_out } = shown.commands.at(-1) ?? ran.record
    if (ran.silent && !timed_out)
      write(Buffer.from(`\n[drydock] ${step.name} ended with exit code ${exit_code}, and printed nothing\n`))
    const hint = writesOf(config, step) === 'deny' ? readOnlyHint(tail.text(), config) : null
    if (hint !== null) write(Buffer.from(hint))
    return { status: 'FAIL' }
  }
  return { status }
}

interface Numbered extends Stepping {
  readonly step: VerificationStep
  readonly number: number
}

interface Failed extends Numbered {
  readonly first: Ran
  readonly failingOnBase: NonNullable<Stepping['failingOnBase']>
}

interface Ran {
  readonly record: CommandRecord
  readonly report: TestReport | null
  /** It has printed nothing at all. */
  readonly silent: boolean
}

/**
 * What a step shows must not come from its being traced: one that is not green then runs anew
 * without.
 */
async function runTraced(
  deps: Deps,
  numbered: Numbered,
  signal: AbortSignal,
): Promise<Ran | { readonly infra: InfraError }> {
  const { tracing, step } = numbered
  const plain = { ...numbered, tracing: null, log: '' }
  if (tracing === null || tracing.untraced !== null) return runStep(deps, plain, signal)
  const first = await runStep(deps, { ...numbered, log: '.traced' }, signal)
  if ('infra' in first || !tracing.mayDisturb || isGreen(first.record, first.report)) return first
  const before = await startAnew(deps, plain, signal)
  if (before !== 'ready' && before !== 'red') return { infra: before }
  const second = await runStep(deps, plain, signal)
  if (!('infra' in second) && isGreen(second.record, second.report)) tracing.lose(step.name)
  return second
}

/**
 * A step with failing tests is run once more, unchanged: what passes then is flaky. What fails
 * twice, and on the base commit as well, is green where the configuration allows each of its tests
 * by id.
 */
async function settleFailure(
  deps: Deps,
  { first, ...numbered }: Failed,
  signal: AbortSignal,
): Promise<'green' | 'red' | InfraError> {
  const { step, shown, failingOnBase, config } = numbered
  const say = (text: string) => numbered.write(Buffer.from(`\n[drydock] ${text}\n`))
  const isNamed = failingIn(first.report).length > 0
  if (!isNamed && !first.record.timed_out && config.allowFailing?.length)
    say(`${step.name} names no failing test, so no failure of it can be allowed`)
  if (first.record.timed_out || !isNamed) return 'red'
  say(`${step.name} failed; running it again, unchanged, to tell a flaky test from a broken one`)
  const before = await startAnew(deps, numbered, signal)
  if (before !== 'ready') return before
  const second = await runStep(deps, { ...numbered, log: '.again' }, signal)
  if ('infra' in second) return second.infra
  // What decides is the second run.
  shown.reruns.push(first.record)
  shown.commands.splice(-1, 1, second.record)
  shown.tests.set(step.name, second.report)
  const isGreenNow = isGreen(second.record, second.report)
  const { flaky, broken } = flakyIn(first.report, second.report, { isGreen: isGreenNow })
  shown.flaky.push(...flaky)
  if (flaky.length > 0) say(`FLAKY, failed and passed without a change: ${named(flaky)}`)
  if (isGreenNow && hasFewerResults(first.report, second.report)) {
    const [before, now] = [resultsIn(first.report), resultsIn(second.report)]
    say(`${step.name}: exit code 0, but its second run has fewer results than the first: ${now} instead of ${before}`)
    return 'red'
  }
  if (isGreenNow) return 'green'
  // Something else than a test may have failed the second time.
  const isExplained = !second.record.timed_out && failingIn(second.report).length > 0
  shown.onlyFlaky = isExplained && flaky.length > 0 && broken.length === 0
  if (broken.length === 0) return 'red'
  const failing = failingIn(second.report)
  const known = await failingOnBase()
  const preExisting = broken.filter((id) => known.has(id))
  shown.preExisting.push(...preExisting)
  if (preExisting.length > 0) say(`pre-existing, also fails on the base commit: ${named(preExisting)}`)
  // What failed only once must be seen green as well, and a test that nobody has read may have
  // failed, too.
  const isKnown = isExplained && second.report?.truncated === false && flaky.length === 0
  const isOld = isKnown && preExisting.length === broken.length
  const meant = broken.filter((id) => config.allowFailing?.includes(id))
  const isAllowed = isOld && meant.length === broken.length
  const refused = meant.filter((id) => !known.has(id))
  if (refused.length > 0) say(`not allowed to fail, since it does not fail on the base commit: ${named(refused)}`)
  shown.onlyPreExisting = isOld && !isAllowed
  if (isAllowed) shown.allowed.push(...broken)
  if (isAllowed) say(`${step.name} counts as green: each of these tests is allowed to fail`)
  else if (second.record.exit_code === 0)
    say(despiteExitCode(step.name, { count: failing.length, listed: named(failing) }))
  return isAllowed ? 'green' : 'red'
}

/**
 * A step that may write into the overlay sees what was written there before, by itself, too: for an
 * unchanged run that is thrown away, and the steps before it that may write are run again.
 */
async function startAnew(deps: Deps, numbered: Numbered, signal: AbortSignal): Promise<'ready' | 'red' | InfraError> {
  const { config, folder, number, shown } = numbered
  if (writesOf(config, numbered.step) === 'deny') return 'ready'
  await folder.renewOverlay()
  for (const [i, step] of config.steps.slice(0, number - 1).entries()) {
    if (writesOf(config, step) === 'deny') continue
    const ran = await runStep(deps, { ...numbered, step, number: i + 1, log: `.before-${number}` }, signal)
    if ('infra' in ran) return ran.infra
    if (ran.record.exit_code !== shown.commands[i]?.exit_code) return 'red'
  }
  return 'ready'
}

function named(ids: readonly string[]): string {
  return `${ids.slice(0, 20).join(', ')}${ids.length > 20 ? ` and ${ids.length - 20} more` : ''}`
}

async function runStep(
  { sandbox, log: openLog }: Deps,
  {
    config,
    step,
    number,
    folder,
    write,
    specFor,
    reports,
    tracing,
    look,
    isTrial = false,
    log: suffix,
  }: Numbered & { readonly log: string },
  signal: AbortSignal,
): Promise<Ran | { readonly infra: InfraError }> {
  const logName = `step-${String(number).padStart(2, '0')}-${step.name}${suffix}`
  const log = openLog(`${logName}.log`)
  const beside = openStepServices({ config, step, logName, openLog })
  const said = createTestLog()
  let silent = true
  const onOutput = both(both(write, log.write), (chunk) => {
    silent &&= chunk.length === 0
    said.push(chunk)
  })
  try {
    // What another step has left there, or the same one before, says nothing of this run.
    if (step.junit !== null) await folder.forget(step.junit)
    const timeoutMs = step.timeoutSec * 1_000
    // In each run: a process can read how it was started.
    const command = { command: goingOn(step.command), timeoutMs, onOutput, services: beside.services }
    const trace = tracing === null ? {} : { trace: tracing.trace }
    const result = await sandbox.exec(await specFor(step), { ...command, ...trace }, signal)
    if (!result.ok) {
      const infra = beside.explained(result.error)
      if (!isTrial || infra.errorType !== 'service_failed') return { infra }
      onOutput(Buffer.from(`[drydock] ${infra.errorMessage}\n`))
      return { record: notRun(step), report: null, silent }
    }
    tracing?.take(step.name, result.value.trace ?? null)
    const { exitCode, timedOut, durationMs } = result.value
    const obstacle = writesOf(config, step) === 'deny' ? null : ((await look?.(step.name, signal)) ?? null)
    if (obstacle !== null) return { infra: obstacle }
    if (timedOut)
      onOutput(Buffer.from(`\n[drydock] ${step.name} timed out after ${step.timeoutSec} s and was killed\n`))
    const { name } = step
    const ended = { exit_code: exitCode, duration_ms: durationMs, timed_out: timedOut }
    const records = beside.records(result.value.services ?? [])
    for (const line of serviceEnds(records, name)) write(Buffer.from(line))
    const record = { name, command: step.command, ...ended, ...(records.length > 0 && { services: records }) }
    const junit = step.junit === null ? null : await folder.report(step.junit, said.maxBytes)
    return { record, report: await reports.read({ junit, output: said.text() }), silent }
  } finally {
    log.close()
    beside.close()
  }
}

function notRun({ name, command }: VerificationStep): CommandRecord {
  return { name, command, exit_code: null, duration_ms: 0, timed_out: false }
}

export function both(first: Write, second: Write): Write {
  return (chunk) => {
    first(chunk)
    second(chunk)
  }
}
