import type { Artifacts, Layer, LogFile, RunFolder } from '../ports/artifacts.ts'
import type { History } from '../ports/history.ts'
import type { Sandbox } from '../ports/sandbox.ts'
import type { TestReports } from '../ports/test-reports.ts'
import type { WorkTrees } from '../ports/work-trees.ts'
import { InfraFailure, infraErrorOf } from './infra-failure.ts'
import type { DependencyLayers } from './layers/dependency-layers.ts'
import { prepareFailed } from './layers/prepare-failed.ts'
import { both, type Write } from './run-step.ts'
import { nothingShown, type Outcome, runSteps, type Stepping, type StepResults } from './run-steps.ts'
import { type Rewritten, watchRewriting } from './tracing/rewritten-files.ts'
import { preparePlace, type VerificationPlace, type VerifyInput } from './verification-place.ts'

export interface RunTreeDeps {
  readonly history: History
  readonly workTrees: WorkTrees
  readonly sandbox: Sandbox
  readonly artifacts: Artifacts
  readonly layers: DependencyLayers
  readonly reports: TestReports
}

/** The results of a run of the steps on one commit, however it ends. */
export interface TreeResults extends StepResults {
  readonly layers: readonly Layer[]
  /** Files of the gate that steps rewrote. */
  readonly rewritten: readonly Rewritten[]
}

export const nothingFound: TreeResults = { ...nothingShown, layers: [], rewritten: [] }

export interface TreeRun extends Pick<Stepping, 'tail' | 'write' | 'failingOnBase' | 'tracing' | 'untilRed'> {
  readonly input: VerifyInput
  /** ARTIFACT_DIR for the steps. */
  readonly folder: RunFolder
  /** Opens a log of the verification. */
  readonly log: (name: string) => LogFile
  /** A folder whose files replace those of the commit. */
  readonly over?: string | null
}

/** A run of the steps on one commit. */
export interface TreeOutcome {
  readonly found: TreeResults
  readonly ended: Outcome
}

/**
 * Runs the steps on one commit: dependencies, a clean checkout, and each step in a sandbox. Never
 * rejects.
 */
export async function runTree(deps: RunTreeDeps, running: TreeRun, signal: AbortSignal): Promise<TreeOutcome> {
  const ready = await getReady(deps, running, signal)
  if ('ended' in ready) return ready
  const { input, folder, tail, write, failingOnBase, tracing, untilRed = false, log } = running
  const { reports } = deps
  const { spec, specFor } = ready.place
  const { look, rewritten } = watchRewriting(deps, { input, folder, spec })
  const isTrial = failingOnBase === null && input.commit !== input.base
  const place = { config: input.config, folder, specFor, tail, write }
  const stepping = { ...place, reports, failingOnBase, tracing, look, untilRed, isTrial }
  const { shown, ended } = await runSteps({ sandbox: deps.sandbox, log }, stepping, signal)
  return { found: { ...ready.found, ...shown, rewritten: rewritten() }, ended }
}

type Ready = TreeOutcome | { readonly found: TreeResults; readonly place: VerificationPlace }

async function getReady(
  deps: RunTreeDeps,
  { input, folder, write, log, over = null }: TreeRun,
  signal: AbortSignal,
): Promise<Ready> {
  let found = nothingFound
  try {
    const made = await withLog(
      () => log('prepare.log'),
      (logged) => deps.layers.make({ ...input, onStep: input.onPrepare, onOutput: both(write, logged) }, signal),
    )
    if (!made.ok) {
      found = { ...found, commands: [made.failure.record] }
      if (made.at === 'change') {
        const { name, inputs } = made.step
        const words = `prepare step ${name} fails for this change but not for its base: correct what the log names in ${inputs.join(', ')}`
        if (made.failure.log !== null) write(Buffer.from(`[drydock] ${words}\n`))
        return { found, ended: { status: 'FAIL' } }
      }
      return { found, ended: { status: 'INFRA_ERROR', infra: prepareFailed(made) } }
    }
    found = { ...found, layers: made.layers }
    const place = await preparePlace(deps, { input, folder, layers: made.layers, over }, signal)
    if (place.obstacle === null) return { found, place }
    write(Buffer.from(`[drydock] ${place.obstacle}\n`))
    return { found, ended: { status: 'FAIL' } }
  } catch (thrown) {
    const error = signal.aborted ? signal.reason : new InfraFailure(infraErrorOf(thrown, 'checkout_failed'))
    return { found, ended: { status: 'THROWN', error } }
  }
}

/** Creates a log at its first write, and closes it. */
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
