import type { RunConfig } from '../../domain/run/run-config.ts'
import type { CommandTrace } from '../../ports/command-trace.ts'
import { isTestCode } from '../findings/test-code.ts'
import { stepTrace } from './kept-calls.ts'
import { readTrace, type StepTrace } from './step-trace.ts'

/** A look at the processes of steps while they run. */
export interface Watch {
  /** The reason, in plain words, why nothing is known; null otherwise. */
  readonly untraced: string | null
  /** True if a step that is not green runs once more untraced, and that result counts. */
  readonly mayDisturb: boolean
  /** The request to the tracer. */
  readonly trace: CommandTrace
  /** Reads the trace of a step; null if it was too long. */
  take(step: string, text: string | null): void
  /** Notes that a step ends differently with the tracer. */
  lose(step: string): void
}

/** The files that the steps of one run were seen to read. */
export interface Tracing extends Watch {
  /** True if nothing can be traced on this machine. */
  readonly withoutTracer: boolean
  /** The traces by the name of the step. */
  readonly steps: ReadonlyMap<string, StepTrace>
}

/** Creates a tracing. `without` is the reason why nothing can be traced here, or null. */
export function createTracing(config: RunConfig, without: string | null): Tracing {
  const steps = new Map<string, StepTrace>()
  const inputs = config.prepare.flatMap((step) => step.inputs)
  let untraced = without
  return {
    withoutTracer: without !== null,
    steps,
    mayDisturb: true,
    trace: stepTrace,
    get untraced() {
      return untraced
    },
    take(step, text) {
      if (text === null)
        untraced = `the step ${step} has no whole trace: it opens too many files, or did not end by itself`
      else steps.set(step, readTrace(text, { folder: config.package, isTest: (path) => isTestCode(path, inputs) }))
    },
    lose(step) {
      steps.delete(step)
      untraced = `the step ${step} fails when it is traced, and not without`
    },
  }
}
