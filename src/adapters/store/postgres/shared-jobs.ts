import { DrydockError } from '../../../domain/drydock-error.ts'
import type { JobStore, Joining, SharedJobStore, SharedJobTransaction } from '../../../ports/jobs.ts'
import { readJobsFor } from '../job-rows.ts'
import { connectionConfig, type PostgresPlace } from './connection-config.ts'
import { listen } from './listen.ts'
import { isConnectionLost } from './postgres-error.ts'
import type { createPostgresKysely } from './postgres-kysely.ts'
import type { Session } from './session.ts'
import * as workers from './workers.ts'

type Db = ReturnType<typeof createPostgresKysely>

export interface SharedJobsOptions {
  readonly place: PostgresPlace
  /** A UUID. */
  readonly worker: string
  /** In the transaction that is under way. */
  readonly ask: Session['ask']
  /** Beside every transaction, until it is answered. */
  readonly beside: { readonly ask: Session['ask']; readonly db: Db }
  readonly askOnce: Session['ask']
  /** A transaction that keeps every writer away, and is no commit that anybody hears of. */
  readonly locked: <T>(work: () => Promise<T>) => Promise<T>
}

export type SharedJobs = Omit<SharedJobStore, keyof JobStore> & {
  /** What each transaction asks first; null before this worker has joined. */
  readonly fence: () => string | null
  readonly inTransaction: Pick<SharedJobTransaction, 'begun' | 'giveUpSilent'>
  close(): Promise<void>
}

/** The jobs of a state that several workers share, and the worker's place among them. */
export function createSharedJobs({ place, worker, ask, beside, askOnce, locked }: SharedJobsOptions): SharedJobs {
  const channel = place.schema
  let joining: Joining | null = null
  let heart: NodeJS.Timeout | undefined
  let deaf: (() => Promise<void>) | null = null
  let heard = 0

  /** Asked once: a late answer does not say when the server has heard. */
  async function beat({ signs, onSign }: Joining): Promise<void> {
    const before = performance.now()
    try {
      const sign = await workers.beat(askOnce, worker, signs)
      heard = before
      onSign(sign)
      if (sign === 'given_up') return
    } catch (error) {
      if (!isConnectionLost(error)) throw error
      if (performance.now() - heard > signs.silentMs) onSign('unheard')
    }
    if (joining !== null) beatLater(joining)
  }

  function beatLater(of: Joining): void {
    clearTimeout(heart)
    heart = setTimeout(() => void beat(of).catch(() => beatLater(of)), of.signs.beatMs)
    heart.unref()
  }

  return {
    worker,
    async join(given) {
      await workers.joinWorkers(beside.ask, worker, given.host)
      heard = performance.now()
      joining = given
      beatLater(given)
      const hear = (payload: string | null) => {
        if (payload !== worker) joining?.onCommit()
      }
      deaf ??= await listen({ config: connectionConfig(place), channel, hear })
    },
    async sharedJobs(host) {
      const [jobs, leases] = await Promise.all([readJobsFor(beside.db, host), workers.readLeases(beside.ask)])
      return jobs.map((job) => ({ ...job, begunBy: leases.get(job.machine)?.worker ?? null }))
    },
    async claim(claim) {
      const claimed = await locked(() => workers.claim(ask, worker, claim))
      return claim.jobs.filter(({ id }) => claimed.has(id))
    },
    release: (underWay) => workers.release(beside.ask, { worker, channel }, underWay),
    fence: () => (joining === null ? null : workers.isMember(worker)),
    inTransaction: {
      async begun() {
        return new Set([...(await workers.readLeases(ask)).values()].map(({ job }) => job))
      },
      async giveUpSilent() {
        return joining === null ? [] : workers.giveUpSilent(ask, worker, joining.signs)
      },
    },
    async close() {
      clearTimeout(heart)
      const was = joining
      joining = null
      if (was === null) return
      await deaf?.()
      // A server that is away learns it from the silence.
      await workers.leaveWorkers(askOnce, worker).catch(() => {})
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
