import { randomUUID } from 'node:crypto'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { SharedJobStore, SharedJobTransaction } from '../../../ports/jobs.ts'
import type { ServerWait } from '../../../ports/owner.ts'
import type { Records, StateReader } from '../../../ports/store.ts'
import { emptyRecords } from '../empty-records.ts'
import { readJobs, readJobsFor } from '../job-rows.ts'
import { createTransaction } from '../transaction.ts'
import { connectionConfig, lockKey, type PostgresPlace } from './connection-config.ts'
import { gatheredMachines } from './gathered-machines.ts'
import { beginSql, dropOldMarks, markSql, type SessionState } from './last-writes.ts'
import { openReader } from './open-reader.ts'
import { createOwnership, createSharedOwnership } from './ownership.ts'
import { explained, unreachable } from './postgres-error.ts'
import { createPostgresKysely, isSent } from './postgres-kysely.ts'
import {
  appliedMigrations,
  checkIdentity,
  checkServer,
  isCurrent,
  isNewer,
  migrate,
  newer,
  refuseOther,
  refuseVersion,
} from './prepare-schema.ts'
import { createSession } from './session.ts'
import { createSharedJobs, givenUp } from './shared-jobs.ts'
import { createWakes, wakeSql } from './wakes.ts'
import { onceReached, type Reach, withPatience } from './with-patience.ts'
import { checkRights, renewRights } from './worker-rights.ts'
import { refuseOtherProtocols } from './workers.ts'

export interface PostgresStoreOptions extends PostgresPlace {
  /** The identity of the state, equal on the server and in its folder. */
  readonly id: string
  /** The server on which the state was created; null or left out if it may have to be created. */
  readonly madeAt?: string | null
  readonly clock: Clock
  readonly redact?: (text: string) => string
  readonly beforeCommit?: (records: Records) => void | Promise<void>
  /** At most one owner exists; workers share the state; stores beside these leave it out. */
  readonly role?: 'owner' | 'worker'
  /** True if a hub is about to start; it is refused alongside workers of another protocol. */
  readonly isHub?: boolean
  /** True if the state belongs to another machine, so its schema is not changed. */
  readonly isGuest?: boolean
  /** Shared by all stores of one process on the server. */
  readonly reach?: Reach
  /** The waiting rules of a working process, for when its server is unreachable. */
  readonly wait?: ServerWait
}

/**
 * The store on a PostgreSQL server. All writers, in any process, take one lock for the whole state.
 * The owner holds a second lock for as long as its connection lives, and proves after a lost
 * connection that it is still the owner. Throws DrydockError `database_unreachable`,
 * `database_unusable`, `state_newer` or `state_elsewhere`.
 */
export async function createPostgresStore(options: PostgresStoreOptions): Promise<SharedJobStore> {
  const { shown, schema, clock, redact = (text) => text, beforeCommit, role, wait } = options
  const { reach = { isReached: false } } = options
  let rowsWritten = 0
  const worker = randomUUID()
  const ownerships = { owner: createOwnership, worker: createSharedOwnership }
  const owner = role === undefined ? null : ownerships[role](options)
  const session = createSession({
    // Other workers do not wait for one that sends no heartbeat.
    config: connectionConfig(options, role === 'worker' ? { idleMs: limits.workers.silentMs } : {}),
    async onConnect(ask) {
      await checkServer(ask, options)
      await owner?.take(ask)
    },
  })
  const writer = createPostgresKysely(session.ask, redact, (rows) => {
    rowsWritten += rows
  })
  const lock = `begin; select pg_advisory_xact_lock(${lockKey(schema, 'writer')})`
  const wakes = createWakes()
  let writes = 0
  /** Statements of the current transaction whose answers are awaited with its commit. */
  let pending: Promise<unknown>[] = []
  const later = (written: Promise<unknown>) => {
    // An unsent statement could reach the server after the commit, outside the transaction.
    if (!isSent(written)) return written
    pending.push(written)
    written.catch(() => {})
    return undefined
  }
  const transaction = createTransaction(writer, clock, { onQueued: wakes.queued, later })
  /** The writers of this process take turns; the lock excludes those of other processes. */
  let last: Promise<unknown> = Promise.resolve()

  try {
    await onceReached(reach, begin)
  } catch (error) {
    await session.close()
    // Covers all connection failures, such as a bad certificate.
    throw mapped(error) ?? (reach.isReached ? error : unreachable(error, shown))
  }

  async function begin(): Promise<void> {
    await session.connected()
    reach.isReached = true
    if (options.isGuest) await checkRights(session.ask, options)
    const applied = await appliedMigrations(session.ask, schema)
    if (applied === null) refuseOther(options)
    if (applied !== null && !options.isGuest && (role === 'worker' || options.isHub || !isCurrent(applied)))
      await refuseOtherProtocols(session.ask, { ends: role === 'worker' })
    if (!isCurrent(applied)) {
      const preparing = options.isGuest ? refuseVersion(session.ask, applied, shown) : prepare()
      await preparing.catch(async (error: unknown) => {
        await session.ask('rollback').catch(() => {})
        throw error
      })
    }
    await checkIdentity(session.ask, options)
    await owner?.claim(session.ask)
    if (owner !== null) await dropOldMarks(session.ask)
    if (role === 'worker' && !options.isGuest) await renewRights(session.ask, schema)
  }

  const goesOn = (error: unknown) => wait?.goesOn(unreachable(error, shown)) ?? false
  /** Like `withPatience`, for as long as this process waits for the server. */
  const patiently: typeof withPatience = async (work, patience) => {
    const done = await withPatience(work, { ...patience, goesOn })
    wait?.answered()
    return done
  }
  const { records, pool } = openReader(options, patiently)
  const shared = createSharedJobs({
    place: options,
    worker,
    clock,
    locked,
    inside: { ask: session.ask, wakes },
    beside: { ask: pool.patient },
  })

  function mapped(error: unknown): DrydockError | null {
    const told = explained(error, shown)
    return told instanceof DrydockError ? told : null
  }

  async function prepare(): Promise<void> {
    await session.ask(lock)
    const applied = await appliedMigrations(session.ask, schema)
    if (applied !== null && isNewer(applied)) {
      const refusal = await newer(session.ask, shown)
      await session.ask('rollback')
      throw refusal
    }
    if (!isCurrent(applied)) await migrate(writer, options)
    await session.ask('commit')
  }

  /**
   * Runs the work in a transaction, and repeats it in another one if the server has undone the
   * first, or was lost during it. If the answer to a commit was lost, its mark shows if it
   * happened: the next transaction holds the lock, so the earlier one has ended.
   */
  function write<T>(work: (tx: SharedJobTransaction) => Promise<T>): Promise<T> {
    writes += 1
    const number = writes
    let sent: { readonly result: T } | null = null
    const attempt = async (reached: () => void) => {
      pending = []
      await session.connected()
      try {
        const { rows } = await session.ask(`${lock}; ${beginSql({ writer: worker, fence: shared.fence() })}`)
        reached()
        const [begun] = rows as readonly SessionState[]
        if (sent !== null && begun?.last === number) {
          await session.ask('rollback').catch(() => {})
          return sent.result
        }
        sent = null
        if (begun?.may_write !== true) throw givenUp(shown)
        const before = rowsWritten
        wakes.take()
        const hasWritten = () => rowsWritten !== before || pending.length > 0
        const tx = { ...transaction, ...shared.inTransaction, hasWritten }
        const result = await work(tx)
        if (tx.hasWritten()) await beforeCommit?.(tx)
        sent = { result }
        await (tx.hasWritten() ? commit(number) : session.ask('commit'))
        return result
      } catch (error) {
        await session.ask('rollback').catch(() => {})
        // The first failure causes the later ones.
        const [failed] = (await Promise.allSettled(pending)).filter(({ status }) => status === 'rejected')
        throw session.raised(error) && failed?.status === 'rejected' ? failed.reason : error
      }
    }
    return patiently(attempt, { isOfServer: session.raised }).catch(told)
  }

  /** Sends all statements at once, and repeats them after a lost connection. */
  function locked<T>(work: () => Promise<T>): Promise<T> {
    const attempt = async () => {
      await session.connected()
      const fence = shared.fence()
      const asked = [session.ask(fence === null ? lock : `${lock}; ${fence}`), work(), session.ask('commit')] as const
      const [begun, done, ended] = await Promise.allSettled(asked)
      for (const answer of [begun, done, ended]) {
        if (answer.status === 'fulfilled') continue
        await session.ask('rollback').catch(() => {})
        throw answer.reason
      }
      if (fence !== null && begun.status === 'fulfilled' && begun.value.rows.length === 0) throw givenUp(shown)
      return (done as PromiseFulfilledResult<T>).value
    }
    return inTurn(() => patiently(attempt).catch(told))
  }

  function told(error: unknown): never {
    throw session.raised(error) ? explained(error, shown) : error
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }

  /** Stores the mark of the transaction, and notifies the workers that it concerns. */
  async function commit(number: number): Promise<void> {
    const ending = `${markSql({ writer: '$2', number: '$4' })} select pg_notify($1, ${wakeSql({ worker: '$2', holders: '$3' })})`
    const marked = session.ask(ending, [schema, worker, wakes.take(), number])
    pending.push(marked)
    marked.catch(() => {})
    const { command } = await session.ask('commit')
    if (command === 'ROLLBACK') await Promise.all(pending)
    if (command === 'ROLLBACK') throw new Error('PostgreSQL rolled back what was to be committed')
  }

  const { join, sharedJobs, claim, retire, release } = shared
  return {
    ...records,
    ...gatheredMachines(pool.reader),
    worker,
    join,
    sharedJobs,
    claim,
    retire,
    release,
    jobs: (taker) => (taker === undefined ? readJobs(pool.reader) : readJobsFor(pool.reader, taker)),
    transact: <T>(work: (tx: SharedJobTransaction) => Promise<T>) => inTurn(() => write(work)),
    async close() {
      await shared.close()
      await Promise.all([pool.close(), session.close()])
    },
  }
}

/** The records of a state that another process may own; empty if there is no state. */
export async function openPostgresRecords(
  options: PostgresPlace & Pick<PostgresStoreOptions, 'id' | 'madeAt' | 'reach'>,
): Promise<StateReader> {
  const { shown, schema, reach = { isReached: false } } = options
  const { records, pool } = openReader(options)
  try {
    const isThere = await onceReached(reach, async () => {
      await checkServer(pool.ask, options)
      reach.isReached = true
      const applied = await appliedMigrations(pool.ask, schema)
      if (applied !== null && isNewer(applied)) throw await newer(pool.ask, shown)
      if (applied === null) refuseOther(options)
      else await checkIdentity(pool.ask, options)
      return applied !== null
    })
    if (isThere) return { ...records, close: pool.close }
  } catch (error) {
    await pool.close()
    const told = explained(error, shown)
    throw told instanceof DrydockError ? told : unreachable(error, shown)
  }
  await pool.close()
  return emptyRecords
}
