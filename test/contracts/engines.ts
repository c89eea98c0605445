import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createEmbeddedEngine } from '../../src/adapters/engine/embedded-engine.ts'
import { createSharedEngine } from '../../src/adapters/engine/shared-engine.ts'
import { createPostgresStore } from '../../src/adapters/store/postgres/postgres-store.ts'
import type { Engine } from '../../src/ports/engine.ts'
import type { JobStore, SharedJobStore } from '../../src/ports/jobs.ts'
import { placeOf, postgres, type StoreAdapter, stores } from './stores.ts'

/** An engine for its contract suite: one worker on a store. */
export interface EngineAdapter {
  readonly name: string
  readonly store: Pick<StoreAdapter, 'createLocation' | 'remove'> & { open(location: string): Promise<JobStore> }
  create(store: JobStore, onFailure: (error: unknown) => void, host?: string): Engine
}

const clock = createSystemClock()

const embeddedOn = (store: StoreAdapter): EngineAdapter => ({
  name: `embedded, on ${store.name}`,
  store,
  create: (opened, onFailure, host = 'here') => createEmbeddedEngine({ store: opened, clock, onFailure, host }),
})

/** The engines that `npm test` covers. */
export const embedded: readonly EngineAdapter[] = stores.map(embeddedOn)

/** A store whose workers share its state. */
export const sharedStore = {
  ...postgres,
  open: (location: string): Promise<SharedJobStore> =>
    createPostgresStore({ ...placeOf(location), clock, role: 'worker' }),
}

const shared: EngineAdapter = {
  name: 'shared, on postgres',
  store: sharedStore,
  create: (opened, onFailure, host = 'here') =>
    createSharedEngine({ store: opened as SharedJobStore, clock, onFailure, host }),
}

export const onPostgres: readonly EngineAdapter[] = [embeddedOn(postgres), shared]
