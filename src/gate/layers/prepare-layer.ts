import { limits } from '../../domain/limits.ts'
import type { PrepareStep, RunConfig } from '../../domain/run/run-config.ts'
import type { CommandRecord } from '../../domain/verification/verdict.ts'
import type { Artifacts, Layer, LayerDraft } from '../../ports/artifacts.ts'
import type { Sandbox, SandboxSpec } from '../../ports/sandbox.ts'
import { InfraFailure } from '../infra-failure.ts'
import { insidePath, insideRepository } from '../inside.ts'
import { createOutputTail } from '../output-tail.ts'
import { prepareEnvironment } from '../step-environment.ts'

export interface Preparing {
  readonly step: PrepareStep
  readonly key: string
  readonly config: RunConfig
  /** A clean checkout, which is not modified. */
  readonly checkout: string
  /** Layers of the earlier steps, the last on top. */
  readonly below: readonly Layer[]
  /** True if the layer's checkout is of a commit that a Run began with. */
  readonly isOfStart: boolean
  readonly onOutput: (chunk: Uint8Array) => void
}

/** A prepare step that failed, or did not make its outputs. */
export interface PrepareFailure {
  readonly record: CommandRecord
  /** The reason, on one line. */
  readonly reason: string
  /** Path of the whole log, null if the step did not run; its first and last lines. */
  readonly log: string | null
  readonly words: string
  /** Hosts without a connection, such as a registry; left out without any. */
  readonly unreached?: readonly string[]
}

export type PreparedLayer =
  | { readonly ok: true; readonly layer: Layer }
  | { readonly ok: false; readonly failure: PrepareFailure }

const shownLines = 30
const noNetwork = '[drydock] It had no network: name the hosts it needs in its "network".\n'

/**
 * Runs a prepare step over a checkout and keeps its outputs as a layer. Throws InfraFailure when no
 * sandbox is available.
 */
export async function prepareLayer(
  { artifacts, sandbox }: { readonly artifacts: Artifacts; readonly sandbox: Sandbox },
  preparing: Preparing,
  signal: AbortSignal,
): Promise<PreparedLayer> {
  const { step, key, onOutput } = preparing
  const draft = await artifacts.draftLayer(key)
  const tail = createOutputTail(limits.tailBytes, shownLines)
  const head = createOutputTail(limits.prepareHeadBytes, Number.POSITIVE_INFINITY)
  let left: number = limits.prepareHeadBytes
  const write = (chunk: Uint8Array) => {
    onOutput(chunk)
    tail.push(chunk)
    head.push(chunk.subarray(0, left))
    left = Math.max(0, left - chunk.length)
    draft.log.write(chunk)
  }
  let settled = false
  try {
    const timeoutMs = step.timeoutSec * 1_000
    const spec = prepareSpec(preparing, draft)
    const ran = await sandbox.exec(spec, { command: step.command, timeoutMs, onOutput: write }, signal)
    if (!ran.ok) throw new InfraFailure(ran.error)
    const { exitCode, timedOut, durationMs, unreached } = ran.value
    const kept = exitCode === 0 ? await draft.keep(step.outputs, preparing) : null
    settled = kept !== null && 'key' in kept
    if (kept !== null && 'key' in kept) return { ok: true, layer: kept }
    const reason = timedOut
      ? `it timed out after ${step.timeoutSec} s and was killed`
      : kept === null
        ? `exit code ${exitCode}`
        : `it did not make the folder ${kept.missing}, which its outputs name`
    write(Buffer.from(`\n[drydock] ${step.name}: ${reason}\n${step.network.length === 0 ? noNetwork : ''}`))
    settled = true
    const { name, command } = step
    const record = { name, command, exit_code: exitCode, duration_ms: durationMs, timed_out: timedOut }
    return {
      ok: false,
      failure: {
        record,
        reason,
        log: await draft.discard(),
        words: headAndTail(head.text(), tail.text()),
        ...(unreached && { unreached }),
      },
    }
  } finally {
    draft.log.close()
    if (!settled) await draft.discard()
  }
}

/** The cause may precede a screen of advice. `tail` may contain the whole output. */
function headAndTail(head: string, tail: string): string {
  const [first, last] = [head, tail].map((text) => text.replace(/\n$/, '').split('\n')) as [string[], string[]]
  if (last.length < shownLines || first.length <= shownLines) return tail
  return [...first.slice(0, shownLines / 2), '…', ...last.slice(-shownLines / 2)].join('\n')
}

/**
 * The sandbox for a step: it shows the checkout and the outputs of earlier steps as one tree, and
 * writes changes into the draft.
 */
function prepareSpec({ step, config, checkout, below }: Preparing, draft: LayerDraft): SandboxSpec {
  const lower = [...below.map(({ folder }) => folder).reverse(), checkout]
  return {
    mounts: [
      ...config.sandbox.readOnlyPaths.map((path) => ({ path, access: 'read' }) as const),
      { at: insideRepository, access: 'overlay', lower, upper: draft.upper },
      { path: draft.scratch, access: 'write' },
    ],
    cwd: insidePath(config.package),
    env: prepareEnvironment(draft.scratch),
    limits: limits.sandbox,
    ...(step.network.length > 0 && { egress: step.network }),
  }
}
