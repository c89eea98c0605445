import type { Drydock, Owner, StateReader } from '../compose.ts'
import { isEnded } from '../domain/run.ts'
import { runStates } from '../domain/run-machine.ts'

/** How often to ask who the owner is, while it starts or ends, until nobody is believed to be. */
const retries = 20

/** How long to wait before asking again. */
export const retryMs = 50

/** A process at the work of a state: as its owner, or beside whoever is. */
export interface Session {
  /** Owns, or is connected to the owner, or tries again at the next call. */
  ensure(): Promise<void>
  connected(): boolean
  end(options: { readonly drain: boolean }): Promise<void>
}

interface SessionOptions {
  /** Runs that are known to be worked on. */
  readonly runs: readonly string[]
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

export function createSession(
  drydock: Drydock,
  { runs, coders, own, onNote, onOwner, fail, ring }: SessionOptions,
): Session {
  let owner: Owner | null = null
  let connection: Awaited<ReturnType<Drydock['connect']>> = null
  let told = false
  let alone = 0

  async function connect(): Promise<void> {
    connection = await drydock.connect({
      change: ring,
      gone() {
        connection = null
        ring()
      },
    })
    if (!connection) {
      alone += 1
      if (!own && alone === retries) onNote('Nobody works on it now. Go on with: drydock resume')
      return
    }
    alone = 0
    connection.wake()
    if (own && !told) onNote('Another drydock process does this repository’s work; following it.')
    told = true
  }

  return {
    async ensure() {
      if (owner || connection) return
      owner = own ? await drydock.own({ coders, onFailure: fail }) : null
      if (!owner) return connect()
      onOwner?.()
      owner.onChange(ring)
      const others = (await unfinishedRuns(drydock)).filter((run) => !runs.includes(run))
      if (others.length > 0) onNote(`Also going on with what was left unfinished: ${others.join(', ')}`)
    },
    connected: () => owner !== null || connection !== null,
    async end(options) {
      connection?.close()
      await owner?.stop(options)
    },
  }
}

/** Whoever owns the state works on all of it, also on what another process has left. */
async function unfinishedRuns(drydock: Drydock): Promise<readonly string[]> {
  const records = await requireRecords(drydock)
  const states = runStates.filter((state) => !isEnded(state) && state !== 'ERROR' && state !== 'PAUSED')
  const runs = await records.machines({ kind: 'run', states })
  await records.close()
  return runs.map(({ id }) => id)
}

export async function requireRecords(drydock: Drydock): Promise<StateReader> {
  const records = drydock.openRecords()
  if (records === null) throw new Error('there is no state to follow')
  return records
}
