import type { Step } from './engine.ts'
import type { Store, Transaction } from './store.ts'

/**
 * The stored form of a queued step. Only a store and its engine know jobs. All other code says in a
 * transaction what should follow.
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

/** Who takes steps. */
export interface Taker {
  /** Leaves the steps of Runs and stories that hold a slot on another host. */
  readonly host: string
  /**
   * Takes what is done for the state itself, on whatever host a slot is: steps of Runs, merges,
   * schedules, landings and notifications, and verifications of merges. Anyone else leaves these.
   */
  readonly keepsState: boolean
}

/** A store with the jobs of its machines, in the order in which they were queued. */
export interface JobStore extends Store {
  /** All jobs, or those that somebody may take. */
  jobs(taker?: Taker): Promise<readonly Job[]>
  /** Like `Store.transact`: serialized with every other writer. */
  transact<T>(work: (tx: JobTransaction) => Promise<T>): Promise<T>
}

/** A job with the worker that has begun a step of its machine, this one or an earlier one. */
export interface SharedJob extends Job {
  readonly begunBy: string | null
}

/**
 * Milliseconds between two signs of life, until who gives none is given up, and as how much silence
 * it counts that a connection is gone.
 */
export interface Signs {
  readonly beatMs: number
  /** A worker: its steps go to others on its host. */
  readonly silentMs: number
  /** A host, none of whose workers is alive: its slots are taken. */
  readonly hostMs: number
  /** Who is slow keeps its connection; who has died has none. */
  readonly lostMs: number
}

/**
 * What a worker hears with each sign of life that it gives. `others_silent`: somebody is to be
 * given up. `given_up`: its steps are others' now, and it can write nothing any more.
 */
export type Sign = 'alive' | 'others_silent' | 'given_up'

export interface Joining extends Taker {
  readonly signs: Signs
  readonly onSign: (sign: Sign) => void
  /**
   * Somebody else has committed. `concerns`: there may be a step for this worker, or one less; when
   * in doubt there may.
   */
  readonly onCommit: (concerns: boolean) => void
  /** Somebody wants the worker to end in good order; said with each sign of life from then on. */
  readonly onDrain?: () => void
}

export interface Claim extends Taker {
  readonly jobs: readonly Job[]
  /** The machines whose steps this worker has begun and not ended. */
  readonly underWay: readonly string[]
}

export interface SharedJobTransaction extends JobTransaction {
  /** Wakes all workers with the commit: steps that others have begun or wait for are changed. */
  concernsEverybody(): void
  /** The jobs whose steps some worker has begun. */
  begun(): Promise<ReadonlySet<number>>
  /** Gives up who was silent for too long, and returns the hosts that were given up with them. */
  giveUpSilent(): Promise<readonly string[]>
}

/**
 * A store whose jobs several workers take. A worker begins a step with a lease of its machine,
 * which is one row, so that nobody else begins another step of it. Time is the server's. A worker
 * that was given up writes nothing: each of its transactions looks for its registration first.
 */
export interface SharedJobStore extends JobStore {
  /** The name of this worker among the others. */
  readonly worker: string
  transact<T>(work: (tx: SharedJobTransaction) => Promise<T>): Promise<T>
  /** Registers the worker, which gives signs of life until the store is closed. */
  join(joining: Joining): Promise<void>
  /** Like `jobs`, beside who writes. */
  sharedJobs(taker: Taker): Promise<readonly SharedJob[]>
  /**
   * Leases those of the jobs that are there, that this worker may take, and whose machines nobody
   * else works on. Serialized with every transaction.
   */
  claim(claim: Claim): Promise<readonly Job[]>
  /** Tells others that this worker takes no new step. Nothing happens where the server is away. */
  retire(): Promise<void>
  /** Ends the leases of all other machines, and tells who may wait for them. */
  release(underWay: readonly string[]): Promise<void>
}
