import type { Redact } from '../../../domain/secrets/redact.ts'
import type { StateAddress } from '../../../domain/worker/shared-state.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { SharedJobStore } from '../../../ports/jobs.ts'
import type { ConfiguredServer } from '../database.ts'

export interface GuestOptions {
  readonly server: ConfiguredServer
  /** As the hub says. */
  readonly address: StateAddress
  readonly clock: Clock
  readonly redact: Redact
}

/**
 * Opens the rows of a state that is another machine's, to work on it. Makes nothing and migrates
 * nothing. DrydockError `worker_version`, `state_elsewhere`, and the store's.
 */
export async function openGuestStore({ server, address, clock, redact }: GuestOptions): Promise<SharedJobStore> {
  const { createPostgresStore } = await import('../postgres/postgres-store.ts')
  return createPostgresStore({
    ...{ ...server, ...address, clock, redact, madeAt: server.shown },
    ...{ role: 'worker', isGuest: true },
  })
}
