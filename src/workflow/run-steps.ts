import type { RunConfig, VerificationStep } from '../domain/run-config.ts'
import type { CommandRecord, InfraError } from '../domain/verdict.ts'
import type { RunFolder } from '../ports/artifacts.ts'
import type { Sandbox, SandboxSpec } from '../ports/sandbox.ts'
import type { OutputTail } from './output-tail.ts'
import { readOnlyHint } from './read-only-hint.ts'

export type Write = (chunk: Uint8Array) => void

/** How a verification ends. */
export type Ended =
  | { readonly status: 'PASS' | 'FAIL' }
  | { readonly status: 'INFRA_ERROR'; readonly infra: InfraError }

export interface Stepping {
  readonly config: RunConfig
  readonly folder: RunFolder
  readonly spec: SandboxSpec
  readonly tail: OutputTail
  readonly write: Write
  readonly onRecord: (record: CommandRecord) => void
}

/** The steps in order, each in a sandbox of its own, until one fails; a timeout is a failure. */
export async function runSteps(sandbox: Sandbox, stepping: Stepping, signal: AbortSignal): Promise<Ended> {
  const { config, tail, write, onRecord } = stepping
  for (const [i, step] of config.steps.entries()) {
    const ran = await runStep(sandbox, { ...stepping, step, number: i + 1 }, signal)
    if ('infra' in ran) return { status: 'INFRA_ERROR', infra: ran.infra }
    onRecord(ran.record)
    if (ran.record.exit_code === 0) continue
    const hint = readOnlyHint(tail.text(), config)
    if (hint !== null) write(Buffer.from(hint))
    return { status: 'FAIL' }
  }
  return { status: 'PASS' }
}

interface StepInput extends Stepping {
  readonly step: VerificationStep
  readonly number: number
}

async function runStep(
  sandbox: Sandbox,
  { step, number, folder, write, spec }: StepInput,
  signal: AbortSignal,
): Promise<{ readonly record: CommandRecord } | { readonly infra: InfraError }> {
  const log = folder.openLog(`step-${String(number).padStart(2, '0')}-${step.name}.log`)
  const onOutput = both(write, log.write)
  try {
    const timeoutMs = step.timeoutSec * 1_000
    const result = await sandbox.exec(spec, { command: step.command, timeoutMs, onOutput }, signal)
    if (!result.ok) return { infra: result.error }
    const { exitCode, timedOut, durationMs } = result.value
    if (timedOut)
      onOutput(Buffer.from(`\n[drydock] ${step.name} timed out after ${step.timeoutSec} s and was killed\n`))
    const { name, command } = step
    return { record: { name, command, exit_code: exitCode, duration_ms: durationMs, timed_out: timedOut } }
  } finally {
    log.close()
  }
}

export function both(first: Write, second: Write): Write {
  return (chunk) => {
    first(chunk)
    second(chunk)
  }
}
