import type { RunConfig, VerificationStep, Writes } from './run-config.ts'

type Writing = Pick<RunConfig, 'writes'>

/** The effect of a write of the step into the repository. */
export function writesOf({ writes }: Writing, step: Pick<VerificationStep, 'writes'>): Writes {
  return step.writes ?? writes
}

/** True if any step may write into the repository. */
export function mayWrite(config: Writing & Pick<RunConfig, 'steps'>): boolean {
  return config.steps.some((step) => writesOf(config, step) === 'overlay')
}
