import type { MachineKind } from '../../domain/machine.ts'
import { stepsInTurn } from '../../domain/share/steps-in-turn.ts'
import { actAfter } from '../../ports/act-after.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Commit, Engine, Step } from '../../ports/engine.ts'
import type { Job, JobStore, JobTransaction } from '../../ports/jobs.ts'
import type { Transaction } from '../../ports/store.ts'
import { giveUpHost } from './give-up-host.ts'
import { endSteps, workOn } from './steps-of-run.ts'
import type { UnderWay, Worker } from './under-way.ts'
import { untilDue } from './until-due.ts'

export interface EmbeddedEngineOptions {
  readonly store: JobStore
  readonly clock: Clock
  /**
   * A handler rejected, so that its step waits for the next start; or the jobs could not be read.
   */
  readonly onFailure: (error: unknown) => void
  /**
   * Decides if a step is taken now; a step that is not taken is considered again after the next
   * commit.
   */
  readonly takes?: (step: Step) => boolean
  /** The name of this machine; a state with one process does not need it. */
  readonly host?: string
}

/**
 * Durable steps in one process, which must be the sole owner of the store. The owner's lock is the
 * lease of every step: a job that exists at the start was left by a dead worker.
 */
export function createEmbeddedEngine({
  store,
  clock,
  onFailure,
  takes = () => true,
  host = 'local',
}: EmbeddedEngineOptions): Engine {
  const workers = new Map<MachineKind, Worker>()
  const running = new Map<number, UnderWay>()
  const failed = new Set<number>()
  /** Jobs that a transaction has decided to remove. */
  const withheld = new Set<number>()
  const listeners = new Set<() => void>()
  const losses = new Set<Parameters<Engine['onHostGone']>[0]>()
  /** Steps that ended after the current query for jobs was sent. */
  const ended = new Set<number>()
  let stopping = false
  let pumping = false
  let again = false
  let commits = 0
  let found: { readonly jobs: readonly Job[]; readonly commits: number } | null = null
  let cancelTimer = () => {}

  function transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return transactJobs((_jobs, tx) => work(tx))
  }

  async function transactJobs<T>(work: (jobs: JobTransaction, tx: Transaction) => Promise<T>): Promise<T> {
    let isCommit = false
    const takenBack: number[] = []
    const result = await store
      .transact(async (jobs) => {
        const done = await work(jobs, withIntentions(jobs, takenBack))
        isCommit = jobs.hasWritten()
        return done
      })
      .catch((error: unknown) => {
        // The commit of a lost connection may have happened.
        isCommit = true
        for (const id of takenBack) withheld.delete(id)
        throw error
      })
      .finally(() => {
        if (isCommit) commits += 1
      })
    if (isCommit) for (const listener of listeners) listener()
    pump()
    return result
  }

  function withIntentions(tx: JobTransaction, takenBack: number[]): Transaction {
    return {
      ...tx,
      async hold(run, except = []) {
        const jobs = (await workOn(tx, run)).filter(({ id, machine }) => !running.has(id) && !except.includes(machine))
        // Runs in the same turn of the event loop as the check of `running`, so none of them can
        // start in between.
        for (const { id } of jobs) {
          withheld.add(id)
          takenBack.push(id)
        }
        return endSteps(tx, jobs)
      },
      async drop(run, only) {
        const jobs = await workOn(tx, run)
        return endSteps(tx, only === undefined ? jobs : jobs.filter(({ machine }) => only.has(machine)))
      },
    }
  }

  /**
   * Starts the steps that are due. All calls before the query share one read, since a step usually
   * commits and ends at once. Calls during the query cause one more read.
   */
  function pump(): void {
    again = true
    if (pumping) return
    pumping = true
    setImmediate(() => void readJobs())
  }

  async function readJobs(): Promise<void> {
    try {
      // A draining engine still has to learn that one of its running steps is no longer wanted.
      while (again && (!stopping || running.size > 0)) {
        again = false
        ended.clear()
        const jobs = await look()
        abortRemoved(new Set(jobs.map((job) => job.id)))
        startDue(jobs)
      }
    } catch (error) {
      if (!stopping) onFailure(error)
    } finally {
      // Runs in the same turn of the event loop as the last check of `again`, so that no call is
      // lost in between.
      pumping = false
    }
  }

  /** Only this process writes jobs, so what it has read holds until its next commit. */
  async function look(): Promise<readonly Job[]> {
    if (found?.commits === commits) return found.jobs
    const before = commits
    const jobs = await store.jobs({ host, keepsState: true })
    found = { jobs, commits: before }
    return jobs
  }

  function abortRemoved(present: ReadonlySet<number>): void {
    for (const [id, step] of running) {
      if (!present.has(id)) step.abort.abort(new Error('the step was superseded'))
    }
  }

  function startDue(jobs: readonly Job[]): void {
    if (stopping) return
    const at = clock.now()
    const now = at.toISOString()
    let next: string | undefined
    const due: Job[] = []
    for (const job of jobs) {
      if (running.has(job.id) || ended.has(job.id) || failed.has(job.id) || withheld.has(job.id) || !takes(job))
        continue
      if (job.runAt > now) {
        if (next === undefined || job.runAt < next) next = job.runAt
      } else {
        due.push(job)
      }
    }
    for (const [kind, jobs] of Map.groupBy(due, ({ kind }) => kind)) startInTurn(kind, jobs)
    cancelTimer()
    if (next === undefined) return
    cancelTimer = actAfter(clock, { ms: untilDue(next, at) }, pump)
  }

  function startInTurn(kind: MachineKind, due: readonly Job[]): void {
    const worker = workers.get(kind)
    if (!worker) return
    const busy = new Set([...running.values()].map(({ job }) => job.machine))
    const underWay = [...running.values()].filter(({ job }) => job.kind === kind).map(({ job }) => job.run)
    // The machine has moved on while one of its steps is still running. The running step ends
    // first, and then finds that it is outdated.
    const ready = due.filter(({ machine }) => !busy.has(machine) && busy.add(machine))
    for (const job of stepsInTurn(ready, { underWay, free: worker.concurrency - underWay.length })) start(job, worker)
  }

  function start(job: Job, worker: Worker): void {
    const abort = new AbortController()
    const done = worker.handler(job, commitOf(job), abort.signal).then(
      () => settle(job),
      (error: unknown) => settle(job, { error, aborted: abort.signal.aborted }),
    )
    running.set(job.id, { job, abort, done })
  }

  function settle(job: Job, failure?: { readonly error: unknown; readonly aborted: boolean }): void {
    running.delete(job.id)
    // A query that started before may still list the job; the next one will not.
    ended.add(job.id)
    if (failure && !failure.aborted) {
      failed.add(job.id)
      onFailure(failure.error)
    }
    pump()
  }

  function commitOf(job: Job): Commit {
    return (change) =>
      transactJobs(async (jobs, tx) => {
        const [isLeased, machine] = await Promise.all([jobs.endJob(job.id), tx.machine(job.machine)])
        if (!isLeased || machine?.version !== job.version) return false
        await change(tx)
        return true
      })
  }

  return {
    host,
    transact,
    work(kind, concurrency, handler) {
      workers.set(kind, { concurrency, handler })
      pump()
    },
    onCommit(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onHostGone: (handler) => void losses.add(handler),
    leave: (gone = host) =>
      transactJobs(async (jobs, tx) => {
        const holders = await giveUpHost(jobs, gone)
        for (const handler of losses) await handler(tx, { host: gone, hasLeft: gone === host, ...holders })
      }),
    async stop(options) {
      stopping = true
      cancelTimer()
      const steps = [...running.values()]
      if (options?.drain) pump()
      else for (const step of steps) step.abort.abort(new Error('Drydock is stopping'))
      await Promise.all(steps.map((step) => step.done))
    },
  }
}
