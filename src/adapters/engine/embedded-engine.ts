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
  /** A handler rejected, and its step stays for the next start; or the jobs could not be read. */
  readonly onFailure: (error: unknown) => void
  /** Whether to take a step now; one that is left is looked at again with the next commit. */
  readonly takes?: (step: Step) => boolean
  /** The name of this machine; one state of one process needs no other. */
  readonly host?: string
}

/**
 * Durable steps in one process, which must be the sole owner of the store. The lock of the owner is
 * the lease of every step: at start each job that is there was left by a dead worker.
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
  /** Jobs that a transaction takes back, from the moment that it has decided so. */
  const withheld = new Set<number>()
  const listeners = new Set<() => void>()
  const losses = new Set<Parameters<Engine['onHostGone']>[0]>()
  /** Steps that have ended since the jobs that are being read were asked for. */
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
        // In the same turn as the look at `running`: none of them is begun from here on.
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
   * Starts what is due. What happens until the jobs are read is seen with one read: a step commits
   * and ends at once. Calls that arrive while it reads them make it read them once more.
   */
  function pump(): void {
    again = true
    if (pumping) return
    pumping = true
    setImmediate(() => void readJobs())
  }

  async function readJobs(): Promise<void> {
    try {
      // Who drains still hears that a step of its own is not wanted any more.
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
      // In the same turn as the last look at `again`: a call in between would be lost.
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
    // Its machine has moved on beside a step that is still under way: that one ends first, and
    // finds out.
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
    // A store that answers later may still list it; the look that follows knows better.
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
