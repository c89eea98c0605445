import type { StepDependencies } from '../step-dependencies.ts'

/** The parts that wait for a full disk. */
export interface RestDependencies extends StepDependencies {
  /** Whether the disk of the state has space to work in. */
  readonly hasRoom: () => Promise<boolean>
}
