import type { Redact } from '../../../domain/secrets/redact.ts'
import type { StateAddress } from '../../../domain/worker/shared-state.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { SharedJobStore } from '../../../ports/jobs.ts'
import type { ServerWait } from '../../../ports/owner.ts'
import type { ConfiguredServer } from '../database.ts'

export interface GuestOptions {
  readonly server: ConfiguredServer
  /** The address that the hub has sent. */
  readonly address: StateAddress
  readonly clock: Clock
  readonly redact: Redact
}

/**
 * Opens the rows of another machine's state, to work on it. Creates and migrates nothing. Throws
 * DrydockError `worker_version` or `state_elsewhere`, and the store's errors.
 */
export async function openGuestStore({
  wait,
  ...options
}: GuestOptions & { readonly wait: ServerWait }): Promise<SharedJobStore> {
  return openAsGuest(options, { role: 'worker', wait })
}

/**
 * Checks that the rows can be worked on, without registering as a worker. Throws what
 * `openGuestStore` throws.
 */
export async function tryGuestStore(options: GuestOptions): Promise<void> {
  await (await openAsGuest(options, {})).close()
}

async function openAsGuest(
  { server, address, clock, redact }: GuestOptions,
  working: { readonly role?: 'worker'; readonly wait?: ServerWait },
): Promise<SharedJobStore> {
  const { createPostgresStore } = await import('../postgres/postgres-store.ts')
  return createPostgresStore({
    ...server,
    ...address,
    clock,
    redact,
    madeAt: server.shown,
    ...working,
    isGuest: true,
  })
}
