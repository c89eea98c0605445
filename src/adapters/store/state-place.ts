import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { DrydockError } from '../../domain/drydock-error.ts'
import { once } from '../../domain/once.ts'
import { makeWhole, writeWhole } from '../../files/write-whole.ts'

const placeSchema = once(() =>
  z.object({
    /** The identity of the state, which its schema on a server has, too. */
    id: z.uuid(),
    /** Where the state is kept; a state that was copied back leaves an old copy on the server. */
    kept: z.enum(['postgres', 'sqlite']),
    /** What may be printed of the server's address. */
    server: z.string(),
    /** The schema was made there: a server without it is another one. Older ones left it out. */
    made: z.literal(true).exactOptional(),
  }),
)

export type StatePlace = z.infer<ReturnType<typeof placeSchema>>

/**
 * Of a state that is or was on PostgreSQL; null for one that never was. DrydockError
 * `state_unusable`.
 */
export function readStatePlace(state: string): StatePlace | null {
  let text: string
  try {
    text = readFileSync(fileIn(state), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    return placeSchema().parse(JSON.parse(text))
  } catch (cause) {
    throw new DrydockError('state_unusable', `${fileIn(state)} does not say where the state is.`, {
      todo: 'Restore a copy of it: it was written by Drydock, and changed since.',
      cause,
    })
  }
}

/** Whole or not at all, and kept when the machine stops. */
export async function writeStatePlace(state: string, place: StatePlace): Promise<void> {
  await writeWhole(fileIn(state), textOf(place), { mode: 0o600, onDisk: true })
}

/** The same where there is none. Of two that do so at once, one wins: its place is returned. */
export async function createStatePlace(state: string, place: StatePlace): Promise<StatePlace> {
  await makeWhole(fileIn(state), textOf(place), { mode: 0o600, onDisk: true })
  return readStatePlace(state) ?? place
}

function textOf(place: StatePlace): string {
  return `${JSON.stringify(place)}\n`
}

function fileIn(state: string): string {
  return join(state, 'postgres.json')
}
