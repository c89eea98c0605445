import type { Step } from './engine.ts'
import type { Store, Transaction } from './store.ts'

/**
 * The stored form of a queued step. Only a store and its engine know jobs. All other code states in
 * a transaction what should follow.
 */
export interface Job extends Step {
  readonly id: number
  /** The earliest start, ISO 8601. */
  readonly runAt: string
}

/** A transaction of the store, without the operations that only an engine adds. */
export interface JobTransaction extends Omit<Transaction, 'hold' | 'drop'> {
  jobsOf(run: string): Promise<readonly Job[]>
  /**
   * Returns false when the job does not exist: its step has ended, was taken back, or was dropped.
   */
  endJob(id: number): Promise<boolean>
}

/** A process that takes steps. */
export interface Taker {
  /** Excludes steps of Runs and stories that hold a slot on another host. */
  readonly host: string
  /**
   * True to take the steps that belong to the state itself, even if another host holds the slot:
   * steps of Runs, merges, schedules, landings and notifications, and verifications of merges.
   * Other workers leave these.
   */
  readonly keepsState: boolean
}

/** A store with the jobs of its machines, in the order in which they were queued. */
export interface JobStore extends Store {
  /** All jobs, or those that `taker` may take. */
  jobs(taker?: Taker): Promise<readonly Job[]>
  /** Like `Store.transact`: serialized with every other writer. */
  transact<T>(work: (tx: JobTransaction) => Promise<T>): Promise<T>
}

/** A job with the worker that has begun a step of its machine, be it this job or an earlier one. */
export interface SharedJob extends Job {
  readonly begunBy: string | null
}

/**
 * Milliseconds: the interval of heartbeats, the silence after which a worker or host is given up,
 * and the silence that a lost connection counts as.
 */
export interface Signs {
  readonly beatMs: number
  /** Silence of a worker after which its steps go to others on its host. */
  readonly silentMs: number
  /** Silence of all workers of a host after which its slots are taken. */
  readonly hostMs: number
  /**
   * Extra silence for a lost connection: a slow process keeps its connection, a dead one does not.
   */
  readonly lostMs: number
}

/**
 * The result of a worker's heartbeat. `others_silent`: another worker is to be given up.
 * `given_up`: its steps belong to others now, and it can write nothing any more.
 */
export type Sign = 'alive' | 'others_silent' | 'given_up'

export interface Joining extends Taker {
  readonly signs: Signs
  readonly onSign: (sign: Sign) => void
  /**
   * Called after a commit of another worker. `concerns`: this worker may have a step more, or one
   * less; true in doubt.
   */
  readonly onCommit: (concerns: boolean) => void
  /** Called with each heartbeat once somebody wants the worker to drain. */
  readonly onDrain?: () => void
}

export interface Claim extends Taker {
  readonly jobs: readonly Job[]
  /** The machines whose steps this worker has begun and not ended. */
  readonly underWay: readonly string[]
}

export interface SharedJobTransaction extends JobTransaction {
  /**
   * Wakes all workers with the commit, because it changes steps that others have begun or wait for.
   */
  concernsEverybody(): void
  /** The jobs whose steps any worker has begun. */
  begun(): Promise<ReadonlySet<number>>
  /**
   * Gives up workers that were silent for too long, and returns the hosts that were given up with
   * them.
   */
  giveUpSilent(): Promise<readonly string[]>
}

/**
 * A store whose jobs several workers take. A worker begins a step with a lease of its machine,
 * which is one row, so that nobody else begins another step of the machine. Time is the server's. A
 * worker that was given up writes nothing: each of its transactions first looks for its
 * registration.
 */
export interface SharedJobStore extends JobStore {
  /** The name of this worker among the others. */
  readonly worker: string
  transact<T>(work: (tx: SharedJobTransaction) => Promise<T>): Promise<T>
  /** Registers the worker, which sends heartbeats until the store is closed. */
  join(joining: Joining): Promise<void>
  /** Reads jobs as `jobs` does, alongside writers. */
  sharedJobs(taker: Taker): Promise<readonly SharedJob[]>
  /**
   * Leases the existing jobs that this worker may take, and whose machines nobody else works on.
   * Serialized with every transaction.
   */
  claim(claim: Claim): Promise<readonly Job[]>
  /** Tells others that this worker takes no new step. Does nothing while the server is away. */
  retire(): Promise<void>
  /** Ends the leases of all other machines, and notifies workers that may wait for them. */
  release(underWay: readonly string[]): Promise<void>
}
