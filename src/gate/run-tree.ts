import type { Artifacts, Layer, LogFile, RunFolder } from '../ports/artifacts.ts'
import type { History } from '../ports/history.ts'
import type { Sandbox } from '../ports/sandbox.ts'
import type { TestReports } from '../ports/test-reports.ts'
import type { WorkTrees } from '../ports/work-trees.ts'
import { InfraFailure, infraErrorOf } from './infra-failure.ts'
import type { DependencyLayers } from './layers/dependency-layers.ts'
import { prepareFailed } from './layers/prepare-failed.ts'
import { both, type Ended, runSteps, type Shown, type Stepping, type Write } from './run-steps.ts'
import { watchRewriting } from './tracing/rewritten-files.ts'
import { preparePlace, type VerificationPlace, type VerifyInput } from './verification-place.ts'

export interface RunTreeDeps {
  readonly history: History
  readonly workTrees: WorkTrees
  readonly sandbox: Sandbox
  readonly artifacts: Artifacts
  readonly layers: DependencyLayers
  readonly reports: TestReports
}

/** The results of a run of the steps so far, kept however it ends. */
export interface Found extends Shown {
  layers: readonly Layer[]
}

export function nothingFound(): Found {
  const shown = { commands: [], reruns: [], tests: new Map(), flaky: [], preExisting: [], allowed: [] }
  return { ...shown, rewritten: new Map(), onlyFlaky: false, onlyPreExisting: false, layers: [] }
}

export interface TreeRun extends Pick<Stepping, 'tail' | 'write' | 'failingOnBase' | 'tracing' | 'untilRed'> {
  readonly input: VerifyInput
  /** ARTIFACT_DIR of the steps. */
  readonly folder: RunFolder
  readonly found: Found
  /** Opens a log of the verification. */
  readonly log: (name: string) => LogFile
  /** A folder whose files lie over those of the commit. */
  readonly over?: string | null
}

/**
 * Runs the steps on one commit: dependencies, a clean checkout, and each step in a sandbox. Rejects
 * only when aborted, or when no checkout can be made.
 */
export async function runTree(deps: RunTreeDeps, running: TreeRun, signal: AbortSignal): Promise<Ended> {
  const ready = await getReady(deps, running, signal)
  if (!ready.ok) return ready.ended
  const { input, folder, found, tail, write, failingOnBase, tracing, untilRed = false, log } = running
  const { reports } = deps
  const { spec, specFor } = ready.place
  const shown = { config: input.config, folder, specFor, tail, write, shown: found }
  const look = watchRewriting(deps, { input, folder, spec, rewritten: found.rewritten })
  const isTrial = failingOnBase === null && input.commit !== input.base
  const stepping = { ...shown, reports, failingOnBase, tracing, look, untilRed, isTrial }
  return runSteps({ sandbox: deps.sandbox, log }, stepping, signal)
}

type Ready = { readonly ok: true; readonly place: VerificationPlace } | { readonly ok: false; readonly ended: Ended }

async function getReady(
  deps: RunTreeDeps,
  { input, folder, found, write, log, over = null }: TreeRun,
  signal: AbortSignal,
): Promise<Ready> {
  try {
    const made = await withLog(
      () => log('prepare.log'),
      (logged) => deps.layers.make({ ...input, onStep: input.onPrepare, onOutput: both(write, logged) }, signal),
    )
    if (!made.ok) {
      found.commands.push(made.failure.record)
      if (made.at === 'change') {
        const { name, inputs } = made.step
        const words = `prepare step ${name} fails for this change but not for its base: correct what the log names in ${inputs.join(', ')}`
        if (made.failure.log !== null) write(Buffer.from(`[drydock] ${words}\n`))
        return { ok: false, ended: { status: 'FAIL' } }
      }
      return { ok: false, ended: { status: 'INFRA_ERROR', infra: prepareFailed(made) } }
    }
    found.layers = made.layers
    const place = await preparePlace(deps, { input, folder, layers: made.layers, over }, signal)
    if (place.obstacle === null) return { ok: true, place }
    write(Buffer.from(`[drydock] ${place.obstacle}\n`))
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
