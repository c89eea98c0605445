import type { MachineKind } from '../../domain/machine.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Commit, Engine, StepHandler } from '../../ports/engine.ts'
import type { Job, Store, Transaction } from '../../ports/store.ts'

interface Worker {
  readonly concurrency: number
  readonly handler: StepHandler
}

interface Step {
  readonly job: Job
  readonly abort: AbortController
  readonly done: Promise<void>
}

export interface EmbeddedEngineOptions {
  readonly store: Store
  readonly clock: Clock
  /** A handler rejected, and its job stays for the next start; or the jobs could not be read. */
  readonly onFailure: (error: unknown) => void
  /** Whether to take a job now; one that is left is looked at again with the next commit. */
  readonly takes?: (job: Job) => boolean
}

/** The longest that a timer of Node takes; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1

/**
 * Durable steps in one process, which must be the sole owner of the store: at start every job that
 * is there is an orphan and runs at once.
 */
export function createEmbeddedEngine({ store, clock, onFailure, takes = () => true }: EmbeddedEngineOptions): Engine {
  const workers = new Map<MachineKind, Worker>()
  const running = new Map<number, Step>()
  const failed = new Set<number>()
  const listeners = new Set<() => void>()
  let stopping = false
  let pumping = false
  let again = false
  let timer: NodeJS.Timeout | undefined

  async function transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    let isCommit = false
    const result = await store.transact(async (tx) => {
      const done = await work(tx)
      isCommit = tx.hasWritten()
      return done
    })
    if (isCommit) for (const listener of listeners) listener()
    pump()
    return result
  }

  /** Starts what is due. Calls that arrive while it reads the jobs make it read them once more. */
  function pump(): void {
    again = true
    if (!pumping) void readJobs()
  }

  async function readJobs(): Promise<void> {
    pumping = true
    try {
      while (again && !stopping) {
        again = false
        const jobs = await store.jobs()
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

  function abortRemoved(present: ReadonlySet<number>): void {
    for (const [id, step] of running) {
      if (!present.has(id)) step.abort.abort(new Error('the step was superseded'))
    }
  }

  function startDue(jobs: readonly Job[]): void {
    if (stopping) return
    const now = clock.now().toISOString()
    let next: string | undefined
    for (const job of jobs) {
      if (running.has(job.id) || failed.has(job.id) || !takes(job)) continue
      if (job.runAt > now) {
        if (next === undefined || job.runAt < next) next = job.runAt
      } else {
        start(job)
      }
    }
    clearTimeout(timer)
    if (next === undefined) return
    timer = setTimeout(pump, Math.min(Math.max(1, Date.parse(next) - Date.parse(now)), longestTimerMs))
  }

  function start(job: Job): void {
    const worker = workers.get(job.queue)
    if (!worker) return
    const steps = [...running.values()]
    // Its machine has moved on beside a step that is still under way: that one ends first, and
    // finds out.
    if (steps.some((step) => step.job.machine === job.machine)) return
    if (steps.filter((step) => step.job.queue === job.queue).length >= worker.concurrency) return
    const abort = new AbortController()
    const done = worker.handler(job, commitOf(job), abort.signal).then(
      () => settle(job),
      (error: unknown) => settle(job, { error, aborted: abort.signal.aborted }),
    )
    running.set(job.id, { job, abort, done })
  }

  function settle(job: Job, failure?: { readonly error: unknown; readonly aborted: boolean }): void {
    running.delete(job.id)
    if (failure && !failure.aborted) {
      failed.add(job.id)
      onFailure(failure.error)
    }
    pump()
  }

  function commitOf(job: Job): Commit {
    return (change) =>
      transact(async (tx) => {
        const machine = await tx.machine(job.machine)
        await tx.endJob(job.id)
        if (machine?.version !== job.version) return false
        await change(tx)
        return true
      })
  }

  return {
    transact,
    work(queue, concurrency, handler) {
      workers.set(queue, { concurrency, handler })
      pump()
    },
    onCommit(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async stop(options) {
      stopping = true
      clearTimeout(timer)
      const steps = [...running.values()]
      if (!options?.drain) for (const step of steps) step.abort.abort(new Error('Drydock is stopping'))
      await Promise.all(steps.map((step) => step.done))
    },
  }
}
