import { limits } from '../../domain/limits.ts'
import type { MachineKind } from '../../domain/machine.ts'
import { stepsInTurn } from '../../domain/share/steps-in-turn.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Commit, Engine, HostGone, Step } from '../../ports/engine.ts'
import type { Job, SharedJob, SharedJobStore, SharedJobTransaction, Sign, Signs } from '../../ports/jobs.ts'
import type { Transaction } from '../../ports/store.ts'
import { giveUpHost } from './give-up-host.ts'
import { endSteps, workOn } from './steps-of-run.ts'
import type { UnderWay, Worker } from './under-way.ts'
import { untilDue } from './until-due.ts'

export interface SharedEngineOptions {
  readonly store: SharedJobStore
  readonly clock: Clock
  /**
   * A handler rejected, so that its step waits for other workers; or this worker cannot take more.
   */
  readonly onFailure: (error: unknown) => void
  /**
   * Decides if a step is taken now; a step that is not taken is considered again after the next
   * commit.
   */
  readonly takes?: (step: Step) => boolean
  readonly host: string
  /**
   * True to take the steps that concern the state itself, too. Only one worker, the hub's, does so.
   */
  readonly keepsState?: boolean
  readonly signs?: Signs
  /** Somebody wants this worker to drain. Called repeatedly from then on. */
  readonly onDrain?: () => void
}

/**
 * Durable steps of several workers in separate processes, on one state. The lease of a step is a
 * row that its worker renews with heartbeats. A worker that has lost its leases learns so at its
 * next heartbeat or transaction, before it writes anything. While the database server is
 * unreachable, steps keep running: answers of models are stored once the server is back.
 */
export function createSharedEngine(options: SharedEngineOptions): Engine {
  const {
    store,
    clock,
    onFailure,
    takes = () => true,
    host,
    keepsState = true,
    signs = limits.workers,
    onDrain,
  } = options
  const workers = new Map<MachineKind, Worker>()
  const running = new Map<number, UnderWay>()
  const failed = new Set<number>()
  /** Machines whose steps have ended but whose leases are not yet released. */
  const ended = new Set<string>()
  const listeners = new Set<() => void>()
  const losses = new Set<Parameters<Engine['onHostGone']>[0]>()
  let joined: Promise<void> | undefined
  let stopping = false
  let again = false
  let pumping: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined

  function join(): Promise<void> {
    const joining = { host, keepsState, signs, onSign: take, onCommit: follow, ...(onDrain && { onDrain }) }
    joined ??= store.join(joining).catch((error: unknown) => {
      joined = undefined
      throw error
    })
    return joined
  }

  /** Handles the notice that another worker has committed. */
  function follow(concerns: boolean): void {
    announce()
    if (concerns) pump()
  }

  function take(sign: Sign): void {
    if (sign === 'alive') pump()
    if (sign === 'others_silent') {
      void transactJobs(async (tx) => {
        tx.concernsEverybody()
        for (const gone of await tx.giveUpSilent()) await withdraw(tx, gone, { hasLeft: false })
      }).catch(fail)
    }
    if (sign === 'given_up') {
      abortAll('nobody has heard of this worker')
      stopping = true
      // An empty transaction reports the reason, since nothing can be written.
      void store.transact(async () => {}).catch(onFailure)
    }
  }

  async function withdraw(tx: SharedJobTransaction, gone: string, { hasLeft }: Pick<HostGone, 'hasLeft'>) {
    tx.concernsEverybody()
    const holders = await giveUpHost(tx, gone)
    for (const handler of losses) await handler(withIntentions(tx), { host: gone, hasLeft, ...holders })
  }

  function fail(error: unknown): void {
    if (!stopping) onFailure(error)
  }

  function abortAll(why: string): void {
    for (const step of running.values()) step.abort.abort(new Error(why))
  }

  function announce(): void {
    for (const listener of listeners) listener()
  }

  async function transactJobs<T>(work: (tx: SharedJobTransaction) => Promise<T>): Promise<T> {
    await join()
    let isCommit = false
    const result = await store.transact(async (tx) => {
      const done = await work(tx)
      isCommit = tx.hasWritten()
      return done
    })
    if (isCommit) announce()
    pump()
    return result
  }

  /** Starts the steps that are due. Calls during the query cause one more query. */
  function pump(): void {
    again = true
    pumping ??= takeSteps()
      .catch(fail)
      .finally(() => {
        pumping = null
        if (again && isAtWork()) pump()
      })
  }

  async function takeSteps(): Promise<void> {
    await join()
    while (again && isAtWork()) {
      again = false
      // Steps that end after this point are released by the next round.
      const over = new Set(ended)
      const jobs = await store.sharedJobs({ host, keepsState })
      abortRemoved(jobs)
      wakeFor(jobs)
      const underWay = machines()
      const chosen = choose(jobs, underWay)
      const claimed = chosen.length === 0 ? [] : await store.claim({ host, keepsState, underWay, jobs: chosen })
      for (const { machine } of claimed) over.delete(machine)
      for (const machine of [...over, ...claimed.map((job) => job.machine)]) ended.delete(machine)
      // Claimed jobs that are not started become free when the store is closed.
      if (!stopping) for (const job of claimed) start(job)
      // The next step of a machine stays with this worker if it takes the step at once.
      if (over.size > 0) await store.release([...machines(), ...ended])
    }
  }

  /**
   * True until the worker has ended all its steps: while it is draining, it still has to learn that
   * one of them is no longer wanted.
   */
  function isAtWork(): boolean {
    return !stopping || running.size > 0
  }

  function machines(): readonly string[] {
    return [...running.values()].map(({ job }) => job.machine)
  }

  function abortRemoved(jobs: readonly Job[]): void {
    const present = new Set(jobs.map(({ id }) => id))
    for (const [id, step] of running) if (!present.has(id)) step.abort.abort(new Error('the step was superseded'))
  }

  /**
   * A machine may have moved on while one of its steps is still running. The running step ends
   * first, and then finds that it is outdated.
   */
  function choose(jobs: readonly SharedJob[], underWay: readonly string[]): readonly Job[] {
    if (stopping) return []
    const now = clock.now().toISOString()
    const busy = new Set(underWay)
    const due = jobs.filter((job) => {
      const isFree = job.begunBy === null || job.begunBy === store.worker
      if (!isFree || busy.has(job.machine) || job.runAt > now || !isWanted(job)) return false
      busy.add(job.machine)
      return true
    })
    const begun = jobs.filter((job) => job.begunBy !== null && !due.includes(job))
    return [...workers].flatMap(([kind, { concurrency }]) => {
      const ours = [...running.values()].filter(({ job }) => job.kind === kind).length
      const all = begun.filter((job) => job.kind === kind).map(({ run }) => run)
      const ready = due.filter((job) => job.kind === kind)
      return stepsInTurn(ready, { underWay: all, free: concurrency - ours })
    })
  }

  function isWanted(job: Job): boolean {
    return !failed.has(job.id) && takes(job)
  }

  function wakeFor(jobs: readonly Job[]): void {
    clearTimeout(timer)
    if (stopping) return
    const now = clock.now()
    const next = jobs.filter((job) => isWanted(job) && job.runAt > now.toISOString()).map(({ runAt }) => runAt)
    if (next.length > 0) timer = setTimeout(pump, untilDue(next.toSorted()[0] ?? '', now))
  }

  function start(job: Job): void {
    const worker = workers.get(job.kind)
    if (worker === undefined) throw new Error(`nobody works on ${job.kind}`)
    const abort = new AbortController()
    const done = worker.handler(job, commitOf(job), abort.signal).then(
      () => settle(job),
      (error: unknown) => settle(job, { error, aborted: abort.signal.aborted }),
    )
    running.set(job.id, { job, abort, done })
  }

  function settle(job: Job, failure?: { readonly error: unknown; readonly aborted: boolean }): void {
    running.delete(job.id)
    ended.add(job.machine)
    if (failure && !failure.aborted) {
      failed.add(job.id)
      onFailure(failure.error)
    }
    pump()
  }

  function commitOf(job: Job): Commit {
    return (change) =>
      transactJobs(async (tx) => {
        // Both queries are sent together, which costs one round trip.
        const [isQueued, machine] = await Promise.all([tx.endJob(job.id), tx.machine(job.machine)])
        if (!isQueued || machine?.version !== job.version) return false
        await change(withIntentions(tx))
        return true
      })
  }

  return {
    host,
    transact: (work) => transactJobs((tx) => work(withIntentions(tx))),
    work(kind, concurrency, handler) {
      workers.set(kind, { concurrency, handler })
      pump()
    },
    onCommit(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onHostGone: (handler) => void losses.add(handler),
    leave: (gone = host) => transactJobs((tx) => withdraw(tx, gone, { hasLeft: gone === host })),
    async stop(stopped) {
      stopping = true
      clearTimeout(timer)
      if (stopped?.drain) await store.retire().then(pump)
      else abortAll('Drydock is stopping')
      await Promise.all([...running.values()].map((step) => step.done))
      // The leases end when the store is closed; until then no other worker gets the started steps.
      await pumping
    },
  }
}

function withIntentions(tx: SharedJobTransaction): Transaction {
  return {
    ...tx,
    async hold(run, except = []) {
      tx.concernsEverybody()
      const begun = await tx.begun()
      const jobs = (await workOn(tx, run)).filter(({ id, machine }) => !begun.has(id) && !except.includes(machine))
      return endSteps(tx, jobs)
    },
    async drop(run, only) {
      tx.concernsEverybody()
      const jobs = await workOn(tx, run)
      return endSteps(tx, only === undefined ? jobs : jobs.filter(({ machine }) => only.has(machine)))
    },
  }
}
