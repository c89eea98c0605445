import { goingOn } from '../domain/gate/going-on.ts'
import type { RunConfig, VerificationStep } from '../domain/run/run-config.ts'
import { writesOf } from '../domain/run/step-writes.ts'
import { failingIn, isGreen } from '../domain/verification/reruns.ts'
import type { TestReport } from '../domain/verification/test-results.ts'
import type { CommandRecord, InfraError } from '../domain/verification/verdict.ts'
import type { RunFolder } from '../ports/artifacts.ts'
import type { Sandbox } from '../ports/sandbox.ts'
import type { TestReports } from '../ports/test-reports.ts'
import { openStepServices, serviceEnds } from './step-services.ts'
import { createTestLog } from './test-log.ts'
import type { WriteLook } from './tracing/rewritten-files.ts'
import type { Watch } from './tracing/tracing.ts'
import type { VerificationPlace } from './verification-place.ts'

export type Write = (chunk: Uint8Array) => void

/** The place and settings for running the steps. */
export interface StepPlace {
  readonly config: RunConfig
  readonly folder: RunFolder
  readonly specFor: VerificationPlace['specFor']
  readonly write: Write
  readonly reports: TestReports
  /** Records the reads of the steps; null if not needed. */
  readonly tracing: Watch | null
  /** Checks after each step what it has written; null if it cannot write anything. */
  readonly look: WriteLook | null
  /** Set for a tree that nobody wrote: a service that fails to start there fails only the trial. */
  readonly isTrial?: boolean
}

interface NumberedStep extends StepPlace {
  readonly step: VerificationStep
  readonly number: number
  /** The results of the earlier steps. */
  readonly before: readonly CommandRecord[]
}

/** The result of one run of a step. */
export interface StepRun {
  readonly record: CommandRecord
  readonly report: TestReport | null
  /** True if the step printed nothing at all. */
  readonly silent: boolean
}

/** The infrastructure prevented the run. */
interface NoRun {
  readonly infra: InfraError
}

export type StepDeps = {
  readonly sandbox: Sandbox
  readonly log: (name: string) => ReturnType<RunFolder['openLog']>
}

/**
 * Runs a step. Tracing must not affect the result: a step that is not green under it runs again
 * without.
 */
export async function runStep(deps: StepDeps, numbered: NumberedStep, signal: AbortSignal): Promise<StepRun | NoRun> {
  const { tracing, step } = numbered
  const plain = { ...numbered, tracing: null, log: '' }
  if (tracing === null || tracing.untraced !== null) return runOnce(deps, plain, signal)
  const first = await runOnce(deps, { ...numbered, log: '.traced' }, signal)
  if ('infra' in first || !tracing.mayDisturb || isGreen(first.record, first.report)) return first
  const before = await startAnew(deps, plain, signal)
  if (before !== 'ready' && before !== 'red') return before
  const second = await runOnce(deps, plain, signal)
  if (!('infra' in second) && isGreen(second.record, second.report)) tracing.lose(step.name)
  return second
}

/**
 * Runs a step with failing tests once more, unchanged: tests that pass then are flaky. `red` if no
 * second run could show that.
 */
export async function runAgain(
  deps: StepDeps,
  { first: { record, report }, ...numbered }: NumberedStep & { readonly first: StepRun },
  signal: AbortSignal,
): Promise<StepRun | 'red' | NoRun> {
  const say = (text: string) => numbered.write(Buffer.from(`\n[drydock] ${text}\n`))
  const isNamed = failingIn(report).length > 0
  if (!isNamed && !record.timed_out && numbered.config.allowFailing?.length)
    say(`${record.name} names no failing test, so no failure of it can be allowed`)
  if (record.timed_out || !isNamed) return 'red'
  say(`${record.name} failed; running it again, unchanged, to tell a flaky test from a broken one`)
  const before = await startAnew(deps, numbered, signal)
  return before === 'ready' ? runOnce(deps, { ...numbered, log: '.again' }, signal) : before
}

/**
 * A step that may write into the overlay sees earlier writes, including its own. An unchanged rerun
 * therefore discards the overlay, and repeats the earlier steps that may write.
 */
async function startAnew(
  deps: StepDeps,
  numbered: NumberedStep,
  signal: AbortSignal,
): Promise<'ready' | 'red' | NoRun> {
  const { config, folder, number, before } = numbered
  if (writesOf(config, numbered.step) === 'deny') return 'ready'
  await folder.renewOverlay()
  for (const [i, step] of config.steps.slice(0, number - 1).entries()) {
    if (writesOf(config, step) === 'deny') continue
    const ran = await runOnce(deps, { ...numbered, step, number: i + 1, log: `.before-${number}` }, signal)
    if ('infra' in ran) return ran
    if (ran.record.exit_code !== before[i]?.exit_code) return 'red'
  }
  return 'ready'
}

async function runOnce(
  { sandbox, log: openLog }: StepDeps,
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
  }: NumberedStep & { readonly log: string },
  signal: AbortSignal,
): Promise<StepRun | NoRun> {
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
    // An older report, of another step or an earlier run, must not count for this one.
    if (step.junit !== null) await folder.forget(step.junit)
    const timeoutMs = step.timeoutSec * 1_000
    // The flag is added in each run, since a process can read its own command line.
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
