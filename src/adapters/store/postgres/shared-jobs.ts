import { DrydockError } from '../../../domain/drydock-error.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { JobStore, Joining, SharedJobStore, SharedJobTransaction } from '../../../ports/jobs.ts'
import { connectionConfig, type PostgresPlace } from './connection-config.ts'
import { type Listener, listen } from './listen.ts'
import type { Session } from './session.ts'
import { readWake, type Wakes } from './wakes.ts'
import { withPatience } from './with-patience.ts'
import * as workers from './workers.ts'

export interface SharedJobsOptions {
  readonly place: PostgresPlace
  /** A UUID. */
  readonly worker: string
  /** Agrees with the server's clock from the first heartbeat on. */
  readonly clock: Clock
  /** Queries within the current transaction. */
  readonly inside: { readonly ask: Session['ask']; readonly wakes: Wakes }
  /** Queries outside all transactions, awaited by the caller. */
  readonly beside: { readonly ask: Session['ask'] }
  /**
   * A transaction that excludes all other writers and sends no notification. Its statements are
   * sent together with its begin and its commit.
   */
  readonly locked: <T>(work: () => Promise<T>) => Promise<T>
}

export type SharedJobs = Omit<SharedJobStore, keyof JobStore> & {
  /**
   * The first query of each transaction, which checks that this worker is still a member; null
   * before it has joined.
   */
  readonly fence: () => string | null
  readonly inTransaction: Pick<SharedJobTransaction, 'begun' | 'giveUpSilent' | 'concernsEverybody'>
  close(): Promise<void>
}

/** The jobs of a state that several workers share, and this worker's membership. */
export function createSharedJobs({ place, worker, clock, inside, beside, locked }: SharedJobsOptions): SharedJobs {
  const channel = place.schema
  let joined: { readonly as: Joining; readonly listener: Listener } | null = null
  let heart: NodeJS.Timeout | undefined
  let hasJoined = false
  let heard = 0
  /** Until this time a worker that was itself disconnected does not judge the silence of others. */
  let judgesFrom = 0
  /** The time at which the pending query was sent. */
  let asked: number | null = null

  /**
   * A late answer does not say when the server received the query, so the time of sending counts.
   */
  async function beat(): Promise<void> {
    if (joined === null) return
    const { as, listener } = joined
    const now = performance.now()
    if (asked !== null) {
      if (now - asked > as.signs.silentMs) listener.renew()
      return
    }
    asked = now
    try {
      const { sign, drains, time } = await workers.beat(listener.ask, worker, as.signs)
      clock.agree?.(time)
      if (now - heard > as.signs.silentMs / 2) judgesFrom = now + as.signs.silentMs
      heard = now
      if (sign === 'given_up') clearInterval(heart)
      if (joined !== null) as.onSign(sign === 'others_silent' && now < judgesFrom ? 'alive' : sign)
      if (joined !== null && drains) as.onDrain?.()
    } catch {
      // A failed heartbeat is ignored, since the next one follows soon; a worker that is not heard
      // for too long reports that itself.
    } finally {
      asked = null
    }
  }

  /** Uses the listening connection, which is open anyway. A read waits for no lock. */
  const read: Session['ask'] = async (text, values) => {
    if (joined === null) return beside.ask(text, values)
    return joined.listener.ask(text, values).catch(() => beside.ask(text, values))
  }

  return {
    worker,
    async join(as) {
      const hear = (payload: string | null) => {
        if (joined === null) return
        // A new connection resumes heartbeats at once.
        if (payload === null) void beat()
        const { by, concerns } = readWake(payload, joined.as)
        if (by !== worker) joined.as.onCommit(concerns)
      }
      const config = connectionConfig(place)
      const listener = joined?.listener ?? (await withPatience(() => listen({ config, channel, hear })))
      joined = { as, listener }
      clock.agree?.(await withPatience(() => workers.joinWorkers(listener.ask, worker, as.host)))
      hasJoined = true
      heard = performance.now()
      clearInterval(heart)
      heart = setInterval(() => void beat(), as.signs.beatMs).unref()
    },
    sharedJobs: (taker) => workers.readSharedJobs(read, taker),
    async claim(claim) {
      const leased = await locked(() => workers.lease(inside.ask, worker, claim))
      return claim.jobs.filter(({ id }) => leased.has(id))
    },
    async retire() {
      // A server that is unreachable will see the missing heartbeats.
      if (joined !== null) await workers.markDraining(joined.listener.ask, worker).catch(() => {})
    },
    // A separate connection, because this query may wait for a lease's row, and a heartbeat must
    // not.
    release: (underWay) => workers.release(beside.ask, { worker, channel }, underWay),
    fence: () => (hasJoined ? workers.isMember(worker) : null),
    inTransaction: {
      async begun() {
        return workers.readLeased(inside.ask)
      },
      concernsEverybody: inside.wakes.everybody,
      async giveUpSilent() {
        return joined === null ? [] : workers.giveUpSilent(inside.ask, worker, joined.as.signs)
      },
    },
    async close() {
      clearInterval(heart)
      const was = joined
      joined = null
      if (was === null) return
      // A server that is unreachable will see the missing heartbeats.
      await workers.leaveWorkers(was.listener.ask, worker).catch(() => {})
      await was.listener.close()
    },
  }
}

/** Returns DrydockError `state_unusable`: this process was given up and may no longer write. */
export function givenUp(shown: string): DrydockError {
  const message = `This process was not heard of at ${shown} for too long, and its work was given to others.`
  return new DrydockError('state_unusable', message, {
    todo: 'Nothing is lost. To continue: drydock resume',
  })
}
