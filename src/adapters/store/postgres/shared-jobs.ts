import { DrydockError } from '../../../domain/drydock-error.ts'
import type { JobStore, Joining, SharedJobStore, SharedJobTransaction } from '../../../ports/jobs.ts'
import { readJobsFor } from '../job-rows.ts'
import { connectionConfig, type PostgresPlace } from './connection-config.ts'
import { type Listener, listen } from './listen.ts'
import type { createPostgresKysely } from './postgres-kysely.ts'
import type { Session } from './session.ts'
import { readWake, type Wakes } from './wakes.ts'
import { withPatience } from './with-patience.ts'
import * as workers from './workers.ts'

type Db = ReturnType<typeof createPostgresKysely>

export interface SharedJobsOptions {
  readonly place: PostgresPlace
  /** A UUID. */
  readonly worker: string
  /** In the transaction that is under way. */
  readonly inside: { readonly ask: Session['ask']; readonly db: Db; readonly wakes: Wakes }
  /** Beside every transaction, until it is answered. */
  readonly beside: { readonly ask: Session['ask']; readonly db: Db }
  /** A transaction that keeps every writer away, and is no commit that anybody hears of. */
  readonly locked: <T>(work: () => Promise<T>) => Promise<T>
}

export type SharedJobs = Omit<SharedJobStore, keyof JobStore> & {
  /** What each transaction asks first; null before this worker has joined. */
  readonly fence: () => string | null
  readonly inTransaction: Pick<SharedJobTransaction, 'begun' | 'giveUpSilent' | 'concernsEverybody'>
  close(): Promise<void>
}

/** The jobs of a state that several workers share, and the worker's place among them. */
export function createSharedJobs({ place, worker, inside, beside, locked }: SharedJobsOptions): SharedJobs {
  const channel = place.schema
  let joined: { readonly as: Joining; readonly listener: Listener } | null = null
  let heart: NodeJS.Timeout | undefined
  let hasJoined = false
  let heard = 0
  /** When the question was asked that is under way. */
  let asked: number | null = null

  /** A late answer does not say when the server has heard, so the time of the question counts. */
  async function beat(): Promise<void> {
    if (joined === null) return
    const { as, listener } = joined
    const now = performance.now()
    // With the tick before the one at which others may take its steps.
    if (now - heard > as.signs.silentMs - as.signs.beatMs) as.onSign('unheard')
    if (asked !== null) {
      if (now - asked > as.signs.silentMs) listener.renew()
      return
    }
    asked = now
    try {
      const sign = await workers.beat(listener.ask, worker, as.signs)
      heard = now
      if (sign === 'given_up') clearInterval(heart)
      if (joined !== null) as.onSign(sign)
    } catch {
      // The next one is soon; who is unheard for too long says so.
    } finally {
      asked = null
    }
  }

  return {
    worker,
    async join(as) {
      const hear = (payload: string | null) => {
        if (joined === null) return
        const { by, concerns } = readWake(payload, joined.as)
        if (by !== worker) joined.as.onCommit(concerns)
      }
      const config = connectionConfig(place)
      const listener = joined?.listener ?? (await withPatience(() => listen({ config, channel, hear })))
      joined = { as, listener }
      await workers.joinWorkers(beside.ask, worker, as.host)
      hasJoined = true
      heard = performance.now()
      clearInterval(heart)
      heart = setInterval(() => void beat(), as.signs.beatMs).unref()
    },
    async sharedJobs(taker) {
      const [jobs, leases] = await Promise.all([readJobsFor(beside.db, taker), workers.readLeases(beside.ask)])
      return jobs.map((job) => ({ ...job, begunBy: leases.get(job.machine)?.worker ?? null }))
    },
    claim({ jobs, underWay, ...taker }) {
      return locked(async () => {
        const ids = jobs.map(({ id }) => id)
        const there = await readJobsFor(inside.db, taker, ids)
        const leased = await workers.lease(inside.ask, worker, { jobs: there, underWay })
        return there.filter(({ id }) => leased.has(id))
      })
    },
    release: (underWay) => workers.release(beside.ask, { worker, channel }, underWay),
    fence: () => (hasJoined ? workers.isMember(worker) : null),
    inTransaction: {
      async begun() {
        return new Set([...(await workers.readLeases(inside.ask)).values()].map(({ job }) => job))
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
      // A server that is away learns it from the silence.
      await workers.leaveWorkers(was.listener.ask, worker).catch(() => {})
      await was.listener.close()
    },
  }
}

/** DrydockError `state_unusable`: what this process writes now would be a stranger's. */
export function givenUp(shown: string): DrydockError {
  const message = `This process was not heard of at ${shown} for too long, and its work was given to others.`
  return new DrydockError('state_unusable', message, {
    todo: 'Nothing is lost. To continue: drydock resume',
  })
}
