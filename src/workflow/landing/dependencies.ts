import type { Landing } from '../../domain/landing/landing.ts'
import type { StepDependencies } from '../step-dependencies.ts'
import type { LandingStep } from './landing-step.ts'

/** The parts that take the branch of a Run further. */
export interface LandingDependencies extends Pick<StepDependencies, 'store'> {
  /** The next step of a landing. DrydockError for whatever is in the way. */
  readonly land: (landing: Landing) => Promise<LandingStep>
}
