import type { StepDependencies } from '../step-dependencies.ts'

/** The parts that wait while a disk is full. */
export interface RestDependencies extends StepDependencies {
  /** True if the state's disk has enough free space. */
  readonly hasRoom: () => Promise<boolean>
}
