import { isEnded, isHeld } from '../../domain/run/run.ts'
import { runStates } from '../../domain/run/run-machine.ts'
import { type RunScope, union } from '../../domain/scope.ts'
import type { Owner, OwnerConnection } from '../../ports/owner.ts'
import type { Installation } from '../installation.ts'
import type { Ownership } from '../ownership.ts'
import { reading } from '../reading.ts'
import type { RecordSource, StateAccess } from '../state-access.ts'
import { createWorker, type Worker } from './worker.ts'

/**
 * The number of times to ask for the owner while it starts or ends; after that the state counts as
 * unowned.
 */
const retries = 20

/** Milliseconds between two such questions. */
export const retryMs = 50

/** The number of times to ask a hub, and the interval; both suit the slower network. */
const hubRetries = 5
const hubRetryMs = 1_000

/** A state to work on: here as its owner, or at a hub. */
export type Workplace = Pick<StateAccess, 'openRecords' | 'atHub' | 'connect' | 'ownerFacts'> &
  Pick<Installation, 'clock'> &
  Pick<Ownership, 'own'>

/** A process that works on a state, as its owner or alongside the owner. */
export interface Session {
  /**
   * Makes this process the owner, or connects it to the owner. After a failure the next call tries
   * again.
   */
  ensure(): Promise<void>
  owns(): boolean
  connected(): boolean
  /** Milliseconds after which `ensure` must be called again. */
  waitMs(): number
  /** Makes the owner apply the stored commands. */
  wake(): void
  end(options: { readonly drain: boolean }): Promise<void>
}

interface SessionOptions {
  /** The followed Runs. */
  readonly runs: readonly string[]
  /** True to work on every Run that nobody has paused, instead of the followed Runs. */
  readonly all?: boolean | undefined
  /** True to work on no other Run, even if another process asks for it. */
  readonly only?: boolean | undefined
  readonly coders: number
  /** True to stay when all work is done, and to retry Runs that the infrastructure has stopped. */
  readonly stays?: boolean | undefined
  /** True to share the state with workers of other machines, if that is possible. */
  readonly shared?: boolean | undefined
  /** The address of this process, if it is a hub. */
  readonly url?: string | undefined
  /** False only to watch: the owner, if any, does the work. */
  readonly own: boolean
  readonly onNote: (text: string) => void
  /** Called when this process has become the owner. */
  readonly onOwner?: (() => void) | undefined
  readonly fail: (error: unknown) => void
  /** Called after each commit, and when the owner ends. */
  readonly ring: () => void
}

export function createSession(drydock: Workplace, options: SessionOptions): Session {
  const {
    runs,
    all = false,
    only = false,
    shared = false,
    stays = false,
    coders,
    url,
    own,
    onNote,
    onOwner,
    fail,
    ring,
  } = options
  let asked: RunScope = all ? 'all' : runs
  let owner: Owner | null = null
  let connection: OwnerConnection | null = null
  let worker: Worker | null = null
  /** Process id of the owner that was last followed. */
  let followed: number | null = null
  let alone = 0
  let told = false

  async function connect(): Promise<void> {
    connection = await drydock.connect({
      change: ring,
      alive: () => worker?.heard(),
      gone() {
        connection = null
        worker?.end()
        ring()
      },
    })
    if (!connection) {
      alone += 1
      if (drydock.atHub === null ? !own && alone === retries : alone === hubRetries) onNote(nobody(drydock))
      return
    }
    alone = 0
    if (drydock.atHub !== null) {
      if (own && !told) onNote(`The hub ${drydock.atHub.url} works on it; following it.`)
      told = true
    } else if (own) {
      const { facts } = connection
      if (followed === null || followed !== facts?.pid)
        worker = createWorker(asked, { clock: drydock.clock, facts, onNote })
      followed = facts?.pid ?? null
      connection.ask(asked)
    }
    connection.wake()
  }

  /**
   * Takes over the work of the previous owner. After a killed owner, continues all of its work.
   * After one that ended in order, continues the work that others had asked it for, but not the
   * work of its own command.
   */
  async function inherit(): Promise<void> {
    if (followed === null || only) return
    const facts = await drydock.ownerFacts()
    if (facts?.pid === followed && !facts.only) asked = union(asked, facts.asked)
  }

  return {
    async ensure() {
      if (owner || connection) return
      await inherit()
      owner = own
        ? await drydock.own({ coders, asked, only, shared, stays, onNote, onFailure: fail, ...(url && { url }) })
        : null
      if (!owner) return connect()
      onOwner?.()
      owner.onChange(ring)
      if (!only) await sayOthers(drydock, { runs, asked, onNote })
    },
    owns: () => owner !== null,
    connected: () => owner !== null || connection !== null,
    waitMs() {
      if (owner !== null || connection !== null) return idleMs
      return drydock.atHub === null ? retryMs : hubRetryMs
    },
    wake: () => (owner ?? connection)?.wake(),
    async end(ending) {
      worker?.end()
      connection?.close()
      await owner?.stop(ending)
    },
  }
}

/** The longest wait in milliseconds; a ring ends it sooner. */
const idleMs = 5_000

function nobody({ atHub }: Pick<StateAccess, 'atHub'>): string {
  if (atHub === null) return 'No process works on it now. Continue with: drydock resume'
  return `The hub ${atHub.url} only shows the runs now: no process works on them.`
}

interface Others {
  readonly runs: readonly string[]
  readonly asked: RunScope
  readonly onNote: (text: string) => void
}

/**
 * Deals with work that a dead process has left: requested work continues, other work is only named
 * in a note.
 */
async function sayOthers(drydock: RecordSource, { runs, asked, onNote }: Others): Promise<void> {
  const others = (await unfinishedRuns(drydock)).filter((run) => !runs.includes(run))
  const taken = others.filter((run) => asked === 'all' || asked.includes(run))
  const left = others.filter((run) => !taken.includes(run))
  if (taken.length > 0) onNote(`Also continuing unfinished work: ${taken.join(', ')}`)
  if (left.length > 0) {
    onNote(`Not continued, because nobody asked for it: ${left.join(', ')}. Continue with: drydock resume ${left[0]}`)
  }
}

async function unfinishedRuns(drydock: RecordSource): Promise<readonly string[]> {
  const states = runStates.filter((state) => !isEnded(state) && state !== 'ERROR' && state !== 'PAUSED')
  const runs = await reading(drydock, (records) => records.machines({ kind: 'run', states }))
  return runs.filter((run) => !isHeld(run)).map(({ id }) => id)
}
