import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createEmbeddedEngine } from '../../src/adapters/engine/embedded-engine.ts'
import type { Engine } from '../../src/ports/engine.ts'
import type { JobStore } from '../../src/ports/jobs.ts'
import { type StoreAdapter, stores } from './stores.ts'

/** An engine as its contract suite sees it: one worker on a store. */
export interface EngineAdapter {
  readonly name: string
  readonly store: StoreAdapter
  /** A worker on that host. */
  create(store: JobStore, onFailure: (error: unknown) => void, host?: string): Engine
}

export const engines: readonly EngineAdapter[] = stores.map((store) => ({
  name: `embedded, on ${store.name}`,
  store,
  create: (opened, onFailure, host = 'here') =>
    createEmbeddedEngine({ store: opened, clock: createSystemClock(), onFailure, host }),
}))
