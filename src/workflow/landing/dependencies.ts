import type { Landing } from '../../domain/landing/landing.ts'
import type { StepDependencies } from '../step-dependencies.ts'
import type { LandingStep } from './landing-step.ts'

/** The parts that land the branch of a Run. */
export interface LandingDependencies extends Pick<StepDependencies, 'store'> {
  /** Takes the next step of a landing. Throws DrydockError if something prevents it. */
  readonly land: (landing: Landing) => Promise<LandingStep>
}
