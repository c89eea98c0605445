import type { RunConfig, VerificationStep, Writes } from './run-config.ts'

type Writing = Pick<RunConfig, 'writes'>

/** Decides about a write of the step into the repository. */
export function writesOf({ writes }: Writing, step: Pick<VerificationStep, 'writes'>): Writes {
  return step.writes ?? writes
}

/** Whether a step may write into the repository. */
export function mayWrite(config: Writing & Pick<RunConfig, 'steps'>): boolean {
  return config.steps.some((step) => writesOf(config, step) === 'overlay')
}
