import type { Drydock, StateReader } from '../../compose.ts'
import { isEnded, type Run } from '../../domain/run/run.ts'
import { runStates } from '../../domain/run/run-machine.ts'
import { type Asked, union } from '../../domain/scope.ts'
import { createWorker, type Worker } from './worker.ts'

type Owner = NonNullable<Awaited<ReturnType<Drydock['own']>>>

/** How often to ask who the owner is, while it starts or ends, until nobody is believed to be. */
const retries = 20

/** How long to wait before asking again. */
export const retryMs = 50

/** A process at the work of a state: as its owner, or beside whoever is. */
export interface Session {
  /** Owns, or is connected to the owner, or tries again at the next call. */
  ensure(): Promise<void>
  owns(): boolean
  connected(): boolean
  /** Has the commands applied that are stored, by whoever is the owner. */
  wake(): void
  end(options: { readonly drain: boolean }): Promise<void>
}

interface SessionOptions {
  /** Runs that are followed. */
  readonly runs: readonly string[]
  /** Every Run is worked on that nobody has paused; else those that are followed. */
  readonly all?: boolean | undefined
  /** No other Run is worked on either when somebody asks for it. */
  readonly only?: boolean | undefined
  readonly coders: number
  /** False to look on only: then the work is left to whoever owns it. */
  readonly own: boolean
  readonly onNote: (text: string) => void
  /** This process has become the owner. */
  readonly onOwner?: (() => void) | undefined
  readonly fail: (error: unknown) => void
  /** Called when something was committed, and when the owner goes. */
  readonly ring: () => void
}

export function createSession(drydock: Drydock, options: SessionOptions): Session {
  const { runs, all = false, only = false, coders, own, onNote, onOwner, fail, ring } = options
  let asked: Asked = all ? 'all' : runs
  let owner: Owner | null = null
  let connection: Awaited<ReturnType<Drydock['connect']>> = null
  let worker: Worker | null = null
  /** Of the last owner that was followed. */
  let followed: number | null = null
  let alone = 0

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
      if (!own && alone === retries) onNote('Nobody works on it now. Go on with: drydock resume')
      return
    }
    alone = 0
    if (own) {
      const { facts } = connection
      if (followed === null || followed !== facts?.pid) worker = createWorker(asked, { facts, onNote })
      followed = facts?.pid ?? null
      connection.ask(asked)
    }
    connection.wake()
  }

  /**
   * Who takes over from a process that was killed goes on with what it did, but not with what a
   * command did for itself alone.
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
      owner = own ? await drydock.own({ coders, asked, only, onFailure: fail }) : null
      if (!owner) return connect()
      onOwner?.()
      owner.onChange(ring)
      if (!only) await sayOthers(drydock, { runs, asked, onNote })
    },
    owns: () => owner !== null,
    connected: () => owner !== null || connection !== null,
    wake: () => (owner ?? connection)?.wake(),
    async end(ending) {
      worker?.end()
      connection?.close()
      await owner?.stop(ending)
    },
  }
}

interface Others {
  readonly runs: readonly string[]
  readonly asked: Asked
  readonly onNote: (text: string) => void
}

/**
 * What a process has left that died: it goes on when it was asked for, and is named when it was
 * not.
 */
async function sayOthers(drydock: Drydock, { runs, asked, onNote }: Others): Promise<void> {
  const others = (await unfinishedRuns(drydock)).filter((run) => !runs.includes(run))
  const taken = others.filter((run) => asked === 'all' || asked.includes(run))
  const left = others.filter((run) => !taken.includes(run))
  if (taken.length > 0) onNote(`Also going on with what was left unfinished: ${taken.join(', ')}`)
  if (left.length > 0) {
    onNote(`Left as it is, since nobody asked for it: ${left.join(', ')}. Go on with it: drydock resume ${left[0]}`)
  }
}

async function unfinishedRuns(drydock: Drydock): Promise<readonly string[]> {
  const records = await requireRecords(drydock)
  const states = runStates.filter((state) => !isEnded(state) && state !== 'ERROR' && state !== 'PAUSED')
  const runs = (await records.machines({ kind: 'run', states })) as readonly Run[]
  await records.close()
  return runs.filter(({ data }) => data.held == null).map(({ id }) => id)
}

export async function requireRecords(drydock: Drydock): Promise<StateReader> {
  const records = drydock.openRecords()
  if (records === null) throw new Error('there is no state to follow')
  return records
}
