import { arch, platform } from 'node:os'
import { limits } from '../domain/limits.ts'
import type { RunConfig, VerificationStep } from '../domain/run-config.ts'
import type { CommandRecord, InfraError, Manifest, VerifierResponse } from '../domain/verdict.ts'
import type { SandboxSpec } from '../ports/sandbox.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import { InfraFailure } from './infra-failure.ts'
import { createOutputTail, type OutputTail } from './output-tail.ts'
import { createRunFolder, type LogFile, type RunFolder } from './run-folder.ts'
import { stepEnvironment } from './step-environment.ts'

export interface VerifyInput {
  readonly runId: string
  /** The exact commit, in the mirror. */
  readonly commit: string
  readonly base: string
  /** Name of the checkout, used by one verification at a time. */
  readonly checkout: string
  /** Of the base commit, never of the commit under test. */
  readonly config: RunConfig
}

type Deps = Pick<WorkflowDependencies, 'workspaces' | 'sandbox' | 'clock' | 'artifacts'>

/**
 * The hard gate (seed: coding-agent-workflow, section 4): the exact commit in a clean checkout, read-only and without network, each step in a sandbox
 * of its own, in order, until one fails. A timeout is a FAIL; what stands in the way of an answer is an INFRA_ERROR.
 */
export async function verify(deps: Deps, input: VerifyInput, signal: AbortSignal): Promise<VerifierResponse> {
  const start = deps.clock.now()
  let place: Place
  try {
    place = await preparePlace(deps, input, signal)
  } catch (error) {
    signal.throwIfAborted()
    return infraResponse(input.runId, classify(error, 'checkout_failed'))
  }
  const tail = createOutputTail(limits.tailBytes, limits.tailLines)
  const commands: CommandRecord[] = []
  let infra: InfraError | null = null
  try {
    for (const [i, step] of input.config.steps.entries()) {
      const ran = await runStep(deps, { step, number: i + 1, place, tail, input }, signal)
      if ('infra' in ran) infra = ran.infra
      else commands.push(ran.record)
      if (infra || commands.at(-1)?.exit_code !== 0) break
    }
  } catch (error) {
    signal.throwIfAborted()
    infra = classify(error, 'unknown')
  } finally {
    place.combined.close()
  }
  const passed = commands.length === input.config.steps.length && commands.every(({ exit_code }) => exit_code === 0)
  const status = infra ? 'INFRA_ERROR' : passed ? 'PASS' : 'FAIL'
  const manifest: Manifest = {
    run_id: input.runId,
    timestamp_start: start.toISOString(),
    timestamp_end: deps.clock.now().toISOString(),
    commit_sha: input.commit,
    tree_sha: place.tree,
    base_sha: input.base,
    status,
    commands_executed: commands,
    platform: { os: platform(), arch: arch(), sandbox: deps.sandbox.name },
    limits: {
      ...limits.sandbox,
      network: 'none',
      step_timeouts_sec: input.config.steps.map((step) => step.timeoutSec),
    },
  }
  try {
    const artifact_paths = await place.folder.finish(manifest)
    const response = { status, run_id: input.runId, tail_log: tail.text(), artifact_paths, manifest } as const
    return infra ? { ...response, error_type: infra.errorType, error_message: infra.errorMessage } : response
  } catch (error) {
    return infraResponse(input.runId, classify(error, 'unknown'))
  }
}

interface Place {
  readonly checkout: string
  readonly tree: string
  readonly folder: RunFolder
  readonly combined: LogFile
}

async function preparePlace(deps: Deps, input: VerifyInput, signal: AbortSignal): Promise<Place> {
  const checkout = await deps.workspaces.checkout(input.checkout, input.commit, signal)
  const tree = await deps.workspaces.tree(input.commit)
  try {
    const folder = await createRunFolder(deps.artifacts, input.runId)
    return { checkout, tree, folder, combined: folder.openLog('combined.log') }
  } catch (error) {
    throw new InfraFailure(classify(error, 'unknown'))
  }
}

interface StepInput {
  readonly step: VerificationStep
  readonly number: number
  readonly place: Place
  readonly tail: OutputTail
  readonly input: VerifyInput
}

async function runStep(
  deps: Deps,
  { step, number, place, tail, input }: StepInput,
  signal: AbortSignal,
): Promise<{ readonly record: CommandRecord } | { readonly infra: InfraError }> {
  const log = place.folder.openLog(`step-${String(number).padStart(2, '0')}-${step.name}.log`)
  const write = (chunk: Uint8Array) => {
    tail.push(chunk)
    place.combined.write(chunk)
    log.write(chunk)
  }
  const spec: SandboxSpec = {
    mounts: [
      ...input.config.sandbox.readOnlyPaths.map((path) => ({ path, access: 'read' }) as const),
      { path: place.checkout, access: 'read' },
      ...place.folder.mounts,
    ],
    cwd: place.checkout,
    env: stepEnvironment(place.folder.path),
    limits: limits.sandbox,
  }
  try {
    const timeoutMs = step.timeoutSec * 1_000
    const result = await deps.sandbox.exec(spec, { command: step.command, timeoutMs, onOutput: write }, signal)
    if (!result.ok) return { infra: result.error }
    const { exitCode, timedOut, durationMs } = result.value
    if (timedOut) write(Buffer.from(`\n[drydock] ${step.name} timed out after ${step.timeoutSec} s and was killed\n`))
    const record = {
      name: step.name,
      command: step.command,
      exit_code: exitCode,
      duration_ms: durationMs,
      timed_out: timedOut,
    }
    return { record }
  } finally {
    log.close()
  }
}

const scarce = [
  { what: 'disk space', words: /ENOSPC|EDQUOT|No space left|disk quota/i },
  { what: 'memory', words: /ENOMEM|Cannot allocate memory/i },
  { what: 'open files', words: /EMFILE|ENFILE|Too many open files/i },
  { what: 'processes', words: /EAGAIN|Resource temporarily unavailable/i },
] as const

/** A full disk or a lack of memory or processes is its own kind, wherever it shows. */
function classify(error: unknown, otherwise: InfraError['errorType']): InfraError {
  if (error instanceof InfraFailure) return error.infra
  const errorMessage = error instanceof Error ? error.message : String(error)
  const lack = scarce.find(({ words }) => words.test(errorMessage))?.what
  if (lack === undefined) return { errorType: otherwise, errorMessage }
  return { errorType: 'resource_exhaustion', errorMessage: `The machine has run out of ${lack}: ${errorMessage}` }
}

function infraResponse(runId: string, { errorType, errorMessage }: InfraError): VerifierResponse {
  return {
    status: 'INFRA_ERROR',
    run_id: runId,
    tail_log: null,
    artifact_paths: null,
    manifest: null,
    error_type: errorType,
    error_message: errorMessage,
  }
}
