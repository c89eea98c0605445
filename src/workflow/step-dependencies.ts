import type { GateDependencies } from '../gate/dependencies.ts'
import type { Engine } from '../ports/engine.ts'
import type { Records } from '../ports/store.ts'

/** The parts of a durable step: the stored state, the engine that commits it, and the time. */
export interface StepDependencies extends Pick<GateDependencies, 'clock'> {
  readonly engine: Engine
  readonly store: Records
}
