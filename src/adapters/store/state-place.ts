import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { DrydockError } from '../../domain/drydock-error.ts'
import { once } from '../../domain/once.ts'
import { makeWhole, writeWhole } from '../../files/write-whole.ts'

const placeSchema = once(() =>
  z.object({
    /** The identity of the state, which its schema on a server has too. */
    id: z.uuid(),
    /**
     * The current place of the state; a state that was copied back leaves an old copy on the
     * server.
     */
    kept: z.enum(['postgres', 'sqlite']),
    /** The server's address without the password. */
    server: z.string(),
    /**
     * The schema was created there, so a server without it is another one. Older versions did not
     * write this field.
     */
    made: z.literal(true).exactOptional(),
  }),
)

export type StatePlace = z.infer<ReturnType<typeof placeSchema>>

/**
 * The record of a state that is or was on PostgreSQL; null if it never was. Throws DrydockError
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

/** Writes the record atomically, and flushes it so that it survives a crash. */
export async function writeStatePlace(state: string, place: StatePlace): Promise<void> {
  await writeWhole(fileIn(state), textOf(place), { mode: 0o600, onDisk: true })
}

/**
 * Creates the record if there is none. If two processes do so at the same time, one wins, and both
 * get its record.
 */
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
