import { readFileSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { DrydockError } from '../../domain/drydock-error.ts'
import { syncFolder } from './sync-folder.ts'

const placeSchema = z.object({
  /** The identity of the state, which its schema on a server has, too. */
  id: z.uuid(),
  /** Where the state is kept; a state that was copied back leaves an old copy on the server. */
  kept: z.enum(['postgres', 'sqlite']),
  /** What may be printed of the server's address. */
  server: z.string(),
})

export type StatePlace = z.infer<typeof placeSchema>

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
    return placeSchema.parse(JSON.parse(text))
  } catch (cause) {
    throw new DrydockError('state_unusable', `${fileIn(state)} does not say where the state is.`, {
      todo: 'Restore a copy of it: it was written by Drydock, and changed since.',
      cause,
    })
  }
}

/** Whole or not at all, and kept when the machine stops. */
export async function writeStatePlace(state: string, place: StatePlace): Promise<void> {
  const made = `${fileIn(state)}.new`
  const file = await open(made, 'w', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(place)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(made, fileIn(state))
  await syncFolder(state)
}

function fileIn(state: string): string {
  return join(state, 'postgres.json')
}
