import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { link, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { DrydockError } from '../../domain/drydock-error.ts'
import { once } from '../../domain/once.ts'
import { syncFolder } from './sync-folder.ts'

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
  await rename(await writeBeside(state, place), fileIn(state))
  await syncFolder(state)
}

/** The same where there is none. Of two that do so at once, one wins: its place is returned. */
export async function createStatePlace(state: string, place: StatePlace): Promise<StatePlace> {
  const beside = await writeBeside(state, place)
  try {
    await link(beside, fileIn(state))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(beside, { force: true })
  }
  await syncFolder(state)
  return readStatePlace(state) ?? place
}

async function writeBeside(state: string, place: StatePlace): Promise<string> {
  const beside = `${fileIn(state)}.${randomUUID()}`
  const file = await open(beside, 'wx', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(place)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  return beside
}

function fileIn(state: string): string {
  return join(state, 'postgres.json')
}
