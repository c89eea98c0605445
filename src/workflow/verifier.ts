import { arch, platform } from 'node:os'
import { limits } from '../domain/limits.ts'
import type { CommandRecord, InfraError, Manifest, VerifierResponse } from '../domain/verdict.ts'
import type { Layer, LogFile, RunFolder } from '../ports/artifacts.ts'
import type { SandboxSpec } from '../ports/sandbox.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import { InfraFailure, infraErrorOf } from './infra-failure.ts'
import { missingFiles } from './missing-files.ts'
import { createOutputTail, type OutputTail } from './output-tail.ts'
import { prepareFailed } from './prepare-failed.ts'
import { both, type Ended, runSteps, type Write } from './run-steps.ts'
import { preparePlace, type VerifyInput } from './verification-place.ts'

type Deps = Pick<WorkflowDependencies, 'workspaces' | 'sandbox' | 'clock' | 'artifacts' | 'layers'>

/** What a verification has found so far, kept however it ends. */
interface Findings {
  readonly tail: OutputTail
  readonly commands: CommandRecord[]
  layers: readonly Layer[]
}

/**
 * The hard gate (seed: coding-agent-workflow, section 4): the exact commit in a clean checkout, read-only and without network, each step in a sandbox
 * of its own, in order, until one fails. A timeout is a FAIL; what stands in the way of an answer is an INFRA_ERROR.
 */
export async function verify(deps: Deps, input: VerifyInput, signal: AbortSignal): Promise<VerifierResponse> {
  signal.throwIfAborted()
  const start = deps.clock.now()
  let folder: RunFolder
  let tree_sha: string
  try {
    ;[tree_sha, folder] = await Promise.all([deps.workspaces.tree(input.commit), openFolder(deps, input)])
  } catch (error) {
    signal.throwIfAborted()
    const { errorType, errorMessage } = infraErrorOf(error, 'checkout_failed')
    return infraResponse(input.runId, { errorType, errorMessage: `commit ${input.commit}: ${errorMessage}` })
  }
  const found: Findings = { tail: createOutputTail(limits.tailBytes, limits.tailLines), commands: [], layers: [] }
  const ended = await runAll(deps, { input, folder, found }, signal)
  const image = await deps.sandbox.image()
  const manifest: Manifest = {
    run_id: input.runId,
    timestamp_start: start.toISOString(),
    timestamp_end: deps.clock.now().toISOString(),
    commit_sha: input.commit,
    tree_sha,
    base_sha: input.base,
    status: ended.status,
    commands_executed: found.commands,
    ...(input.config.prepare.length > 0 && {
      dependencies: found.layers.map(({ key, outputs }) => ({ layer: key, outputs })),
    }),
    platform: {
      os: platform(),
      arch: arch(),
      sandbox: deps.sandbox.name,
      ...(image.ok && image.value && { image: image.value.name }),
    },
    limits: {
      ...limits.sandbox,
      network: 'none',
      writes: input.config.writes,
      step_timeouts_sec: input.config.steps.map((step) => step.timeoutSec),
    },
  }
  try {
    const artifact_paths = await folder.finish(manifest)
    const { status } = ended
    const response = { status, run_id: input.runId, tail_log: found.tail.text(), artifact_paths, manifest } as const
    if (ended.status !== 'INFRA_ERROR') return response
    return { ...response, error_type: ended.infra.errorType, error_message: ended.infra.errorMessage }
  } catch (error) {
    return infraResponse(input.runId, infraErrorOf(error, 'unknown'))
  }
}

async function openFolder({ artifacts }: Deps, { runId, commit, base }: VerifyInput): Promise<RunFolder> {
  try {
    return await artifacts.openRun(runId, { ofBase: commit === base })
  } catch (error) {
    throw new InfraFailure(infraErrorOf(error, 'unknown'))
  }
}

interface Verifying {
  readonly input: VerifyInput
  readonly folder: RunFolder
  readonly found: Findings
}

/** Dependencies, then the steps. */
async function runAll(deps: Deps, verifying: Verifying, signal: AbortSignal): Promise<Ended> {
  const combined = verifying.folder.openLog('combined.log')
  const write = (chunk: Uint8Array) => {
    verifying.found.tail.push(chunk)
    combined.write(chunk)
  }
  try {
    const ready = await getReady(deps, { ...verifying, write }, signal)
    if (!ready.ok) return ready.ended
    const { input, folder, found } = verifying
    const onRecord = (record: CommandRecord) => void found.commands.push(record)
    const stepping = { config: input.config, folder, spec: ready.spec, tail: found.tail, write, onRecord }
    const ended = await runSteps(deps.sandbox, stepping, signal)
    if (ended.status !== 'FAIL') return ended
    const missing = await missingFiles(deps.workspaces, input.commit, signal)
    if (missing.length > 0) write(Buffer.from(`\n${missing.map((line) => `[drydock] ${line}\n`).join('')}`))
    return ended
  } catch (error) {
    signal.throwIfAborted()
    return { status: 'INFRA_ERROR', infra: infraErrorOf(error, 'unknown') }
  } finally {
    combined.close()
  }
}

async function getReady(
  deps: Deps,
  { input, folder, found, write }: Verifying & { readonly write: Write },
  signal: AbortSignal,
): Promise<{ readonly ok: true; readonly spec: SandboxSpec } | { readonly ok: false; readonly ended: Ended }> {
  try {
    const made = await withLog(
      () => folder.openLog('prepare.log'),
      (log) => deps.layers.make({ ...input, onStep: input.onPrepare, onOutput: both(write, log) }, signal),
    )
    if (!made.ok) {
      found.commands.push(made.failure.record)
      if (made.at === 'change') {
        const { name, inputs } = made.step
        const words = `prepare step ${name} fails for this change and not for its base: see ${inputs.join(', ')}`
        if (made.failure.log !== null) write(Buffer.from(`[drydock] ${words}\n`))
        return { ok: false, ended: { status: 'FAIL' } }
      }
      return { ok: false, ended: { status: 'INFRA_ERROR', infra: prepareFailed(made) } }
    }
    found.layers = made.layers
    const { spec, obstacle } = await preparePlace(deps, { input, folder, layers: made.layers }, signal)
    if (obstacle === null) return { ok: true, spec }
    write(Buffer.from(`[drydock] ${obstacle}\n`))
    return { ok: false, ended: { status: 'FAIL' } }
  } catch (error) {
    signal.throwIfAborted()
    throw new InfraFailure(infraErrorOf(error, 'checkout_failed'))
  }
}

/** A log that is made with its first words, and closed. */
async function withLog<T>(open: () => LogFile, use: (write: Write) => Promise<T>): Promise<T> {
  let log: LogFile | null = null
  try {
    return await use((chunk) => {
      log ??= open()
      log.write(chunk)
    })
  } finally {
    ;(log as LogFile | null)?.close()
  }
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
