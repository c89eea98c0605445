import type { GateDependencies } from '../gate/dependencies.ts'
import type { Engine } from '../ports/engine.ts'
import type { Records } from '../ports/store.ts'

/** What a durable step works with: what is stored, what commits it, and the time. */
export interface StepDependencies extends Pick<GateDependencies, 'clock'> {
  readonly engine: Engine
  readonly store: Records
}
