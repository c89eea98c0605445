import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import { lockKey, type PostgresPlace } from './connection-config.ts'
import type { Session } from './session.ts'
import { clearWorkers, makeWorkerTables, mayComeBack } from './workers.ts'

type Ask = Session['ask']

/** A lock on the state that lives as long as its connection; the next connection takes it again. */
export interface Ownership {
  /**
   * Takes the lock on a new connection; called for each one. Throws DrydockError `state_unusable`.
   */
  take(ask: Ask): Promise<void>
  /** Claims the schema for this state; called on the first connection, once the schema exists. */
  claim(ask: Ask): Promise<void>
}

/**
 * The ownership of a sole owner. It writes a name, so that it notices another owner between two of
 * its connections.
 */
export function createOwnership({ shown, schema }: PostgresPlace): Ownership {
  const name = randomUUID()
  let isClaimed = false
  return {
    async take(ask) {
      await untilTaken(shown, () => tryLock(ask, schema, 'pg_try_advisory_lock'))
      if (isClaimed && (await nameOf(ask)) !== name) throw taken(shown)
    },
    async claim(ask) {
      await ask('update drydock_state set owner = $1', [name])
      isClaimed = true
    },
  }
}

/**
 * The ownership of a worker, which shares the lock with other workers and excludes a sole owner.
 * The first worker knows that no other is connected, so all leases are free unless the server has
 * just restarted. The hub creates the workers' tables, since a guest has no right to do so.
 */
export function createSharedOwnership({
  shown,
  schema,
  isGuest = false,
}: PostgresPlace & { readonly isGuest?: boolean }): Ownership {
  let name: string | null = null
  let isFirst = false
  return {
    async take(ask) {
      await untilTaken(shown, async () => {
        isFirst = name === null && (await tryLock(ask, schema, 'pg_try_advisory_lock'))
        return tryLock(ask, schema, 'pg_try_advisory_lock_shared')
      })
      if (name !== null && (await nameOf(ask)) !== name) throw taken(shown)
    },
    async claim(ask) {
      if (isFirst && !(await mayComeBack(ask, limits.workers.silentMs))) {
        const own = randomUUID()
        await ask(`begin; select pg_advisory_xact_lock(${lockKey(schema, 'writer')})`)
        if (!isGuest) await makeWorkerTables(ask)
        await clearWorkers(ask)
        await ask('update drydock_state set owner = $1', [own])
        await ask(`commit; select pg_advisory_unlock(${lockKey(schema, 'owner')})`)
        // A connection lost before this point claims again.
        name = own
      } else {
        const theirs = await nameOf(ask)
        if (isFirst) await ask(`select pg_advisory_unlock(${lockKey(schema, 'owner')})`)
        name = theirs
      }
    },
  }
}

/** Retries to take the lock, since a broken connection may survive at the server for a moment. */
async function untilTaken(shown: string, tryToTake: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + limits.database.patienceMs
  while (!(await tryToTake())) {
    if (performance.now() > end) throw taken(shown)
    await delay(limits.database.firstPauseMs)
  }
}

type Lock = 'pg_try_advisory_lock' | 'pg_try_advisory_lock_shared'

async function tryLock(ask: Ask, schema: string, lock: Lock): Promise<boolean> {
  const { rows } = await ask(`select ${lock}(${lockKey(schema, 'owner')}) as taken`)
  return (rows as readonly { taken: boolean }[])[0]?.taken === true
}

async function nameOf(ask: Ask): Promise<string | null> {
  const { rows } = await ask('select owner from drydock_state')
  return (rows as readonly { owner: string | null }[])[0]?.owner ?? null
}

function taken(shown: string): DrydockError {
  return new DrydockError('state_unusable', `Another process has become the owner of the state on ${shown}.`, {
    todo: 'Make sure that no other drydock works on this repository; then: drydock resume',
  })
}
