import type { PrepareStep, RunConfig } from '../../domain/run/run-config.ts'
import type { Artifacts, Layer } from '../../ports/artifacts.ts'
import type { History } from '../../ports/history.ts'
import type { Sandbox } from '../../ports/sandbox.ts'
import type { WorkTrees } from '../../ports/work-trees.ts'
import { layerKeys, ownKey } from './layer-key.ts'
import { type PreparedLayer, type PrepareFailure, type Preparing, prepareLayer } from './prepare-layer.ts'
import type { SharedLayers } from './shared-layers.ts'

export interface LayerQuery {
  readonly config: RunConfig
  readonly commit: string
  readonly base: string
}

export interface MakingInput extends LayerQuery {
  /**
   * True if the base is the commit that the Run began with. A base that stories have changed since
   * gives no layer to other machines.
   */
  readonly isFromStart: boolean
  /** Name of a checkout that nobody else uses in the meantime. */
  readonly checkout: string
  /** Called before a step has to run, which can take minutes. */
  readonly onStep: (step: PrepareStep) => Promise<void>
  /** Receives the output of steps that run. */
  readonly onOutput: (chunk: Uint8Array) => void
}

export type MadeLayers =
  | { readonly ok: true; readonly layers: readonly Layer[] }
  /** `at`: base when the base commit itself fails the step, change when only the change does. */
  | { readonly ok: false; readonly at: 'base' | 'change'; readonly step: PrepareStep; readonly failure: PrepareFailure }

/**
 * The layers of `verification.prepare`: one for each step, made once for its inputs, command and
 * platform. A layer for inputs that the base does not have is made in the change's own tree. That
 * tree could decide all of its content, so no other tree ever uses it.
 */
export interface DependencyLayers {
  /** Makes the missing layers of the commit. Throws InfraFailure when no sandbox is available. */
  make(input: MakingInput, signal: AbortSignal): Promise<MadeLayers>
  /** The existing layers of the commit, else of its base, up to the first missing one. */
  existing(wanted: LayerQuery): Promise<readonly Layer[]>
}

interface Deps {
  readonly history: History
  readonly workTrees: WorkTrees
  readonly artifacts: Artifacts
  readonly sandbox: Sandbox
  /** Null if no machine gives layers to others. */
  readonly shared: SharedLayers | null
}

export function createDependencyLayers(deps: Deps): DependencyLayers {
  async function make(input: MakingInput, signal: AbortSignal): Promise<MadeLayers> {
    const layers: Layer[] = []
    const programs = () => deps.sandbox.programs(input.config.sandbox.readOnlyPaths)
    for (const { step, key, from, ofBase, instead } of await places(deps, input)) {
      const unfit = await unfitness(deps, input, step)
      if (unfit !== null) {
        input.onOutput(Buffer.from(`[drydock] ${step.name}: ${unfit.failure.reason}\n`))
        return unfit
      }
      const found = await deps.artifacts.layer(key)
      // A layer of another base can be removed after this check; a change never makes it again
      // under its name.
      const name = instead ?? key
      // Other trees never get a layer that was made in a change's tree.
      const isOfBase = name === ofBase && from === input.base
      const isOfStart = isOfBase && input.isFromStart && layers.every((below) => below.isOfStart)
      const prepare = () => prepareIn({ ...input, commit: from }, { step, key: name, below: [...layers], isOfStart })
      const fetchOrPrepare = async (): Promise<PreparedLayer> => {
        const layer = isOfBase ? await deps.shared?.fetch({ key: name, outputs: step.outputs, programs }, signal) : null
        return layer ? { ok: true, layer } : prepare()
      }
      const made = found ? ({ ok: true, layer: found } as const) : await once(name, fetchOrPrepare, signal)
      if (!made.ok) return whoseFault({ step, failure: made.failure, from, number: layers.length })
      if (made.layer.isOfStart) deps.shared?.offer({ key: made.layer.key, programs })
      layers.push(made.layer)
    }
    return { ok: true, layers }

    async function prepareIn(
      { config, commit, checkout: name, onStep, onOutput }: MakingInput,
      what: Pick<Preparing, 'step' | 'key' | 'below' | 'isOfStart'>,
    ): Promise<PreparedLayer> {
      await onStep(what.step)
      const checkout = await deps.workTrees.checkout(name, commit, signal)
      return prepareLayer(deps, { ...what, config, checkout, onOutput }, signal)
    }

    /** A network outage is not the change's fault, so the base's step is tried again now. */
    async function whoseFault({ step, failure, from, number }: StepFailure): Promise<MadeLayers> {
      // Only hosts that the configuration or this machine names can be unreached, so the change is
      // not at fault. A change that asks for any other host is refused, and is told so.
      if (from === input.base || failure.unreached) return { ok: false, at: 'base', step, failure }
      const quietly = { ...input, commit: input.base, onOutput: () => undefined }
      const config = { ...input.config, prepare: input.config.prepare.slice(0, number) }
      const below = await make({ ...quietly, config }, signal)
      if (!below.ok) return below
      const key = (await layerKeys(deps, input.config, input.base))[number] ?? ''
      const again = await prepareIn(quietly, { step, key, below: below.layers, isOfStart: false })
      return again.ok
        ? { ok: false, at: 'change', step, failure }
        : { ok: false, at: 'base', step, failure: again.failure }
    }
  }

  /**
   * Each layer is made by one caller at a time; later ones get the result, or retry after a
   * failure.
   */
  async function once(key: string, prepare: () => Promise<PreparedLayer>, signal: AbortSignal): Promise<PreparedLayer> {
    const findOrPrepare = async (): Promise<PreparedLayer> => {
      const layer = await deps.artifacts.layer(key)
      return layer ? { ok: true, layer } : prepare()
    }
    return deps.artifacts.alone(`layer/${key}`, findOrPrepare, signal)
  }

  return {
    make,
    async existing(wanted) {
      const layers: Layer[] = []
      for (const { key, ofBase } of await places(deps, wanted)) {
        const layer = (await deps.artifacts.layer(key)) ?? (await deps.artifacts.layer(ofBase))
        if (layer === null) break
        layers.push(layer)
      }
      return layers
    },
  }
}

interface StepFailure {
  readonly step: PrepareStep
  readonly failure: PrepareFailure
  readonly from: string
  /** Index of the step, from 0. */
  readonly number: number
}

interface Place {
  readonly step: PrepareStep
  readonly key: string
  /** The commit in which a missing layer is made. */
  readonly from: string
  /** Key of the base's own layer of this step. */
  readonly ofBase: string
  /** Key for making the layer after it has been removed. */
  readonly instead?: string
}

/** The place where the layer of each step is found, or made. */
async function places(deps: Deps, { config, commit, base }: LayerQuery): Promise<readonly Place[]> {
  if (config.prepare.length === 0) return []
  const keys = await layerKeys(deps, config, commit)
  const keysOfBase = commit === base ? keys : await layerKeys(deps, config, base)
  const tree = await deps.history.tree(commit)
  const found: Place[] = []
  for (const [i, step] of config.prepare.entries()) {
    const key = keys[i] ?? ''
    const ofBase = keysOfBase[i] ?? ''
    const shared = found.every((place) => keys.includes(place.key))
    if (key === ofBase) found.push({ step, key, from: base, ofBase })
    else if (shared && (await deps.artifacts.layer(key)))
      found.push({ step, key, from: commit, ofBase, instead: ownKey(key, tree) })
    else found.push({ step, key: ownKey(key, tree), from: commit, ofBase })
  }
  return found
}

/** A layer would hide files of the commit at the place of an output, so that no step sees them. */
async function unfitness(
  { history }: Deps,
  { config, commit, base }: LayerQuery,
  step: PrepareStep,
): Promise<Extract<MadeLayers, { ok: false }> | null> {
  for (const [at, sha] of [
    ['base', base],
    ['change', commit],
  ] as const) {
    const reason = await whyUnfit(history, { sha, folder: config.package, step })
    if (reason === null) continue
    const record = { name: step.name, command: step.command, exit_code: null, duration_ms: 0, timed_out: false }
    return { ok: false, at, step, failure: { record, reason, log: null, words: '' } }
  }
  return null
}

interface Fitting {
  readonly sha: string
  readonly folder: string
  readonly step: PrepareStep
}

async function whyUnfit(history: History, { sha, folder, step }: Fitting): Promise<string | null> {
  const { inputs, outputs } = step
  const paths = [...(folder === '' ? [] : [folder]), ...outputs, ...inputs]
  const found = await history.contents(sha, paths)
  if (folder !== '' && !found[folder]?.startsWith('040000 '))
    return `verification.package is ${folder}, which is not a folder`
  if (inputs.length > 0 && inputs.every((path) => found[path] === null))
    return `none of its inputs exists: ${inputs.join(', ')}`
  const committed = outputs.find((path) => found[path] !== null)
  return committed === undefined ? null : `${committed} is committed, so it cannot be an output of prepare`
}
