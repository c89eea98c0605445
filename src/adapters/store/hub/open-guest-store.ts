import type { Redact } from '../../../domain/secrets/redact.ts'
import type { StateAddress } from '../../../domain/worker/shared-state.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { SharedJobStore } from '../../../ports/jobs.ts'
import type { ServerWait } from '../../../ports/owner.ts'
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
export async function openGuestStore({
  wait,
  ...options
}: GuestOptions & { readonly wait: ServerWait }): Promise<SharedJobStore> {
  return openAsGuest(options, { role: 'worker', wait })
}

/** Whether the rows could be worked on; nobody notices. The same DrydockErrors. */
export async function tryGuestStore(options: GuestOptions): Promise<void> {
  await (await openAsGuest(options, {})).close()
}

async function openAsGuest(
  { server, address, clock, redact }: GuestOptions,
  working: { readonly role?: 'worker'; readonly wait?: ServerWait },
): Promise<SharedJobStore> {
  const { createPostgresStore } = await import('../postgres/postgres-store.ts')
  return createPostgresStore({
    ...{ ...server, ...address, clock, redact, madeAt: server.shown },
    ...{ ...working, isGuest: true },
  })
}
