import type { Command } from '../../domain/command.ts'
import { reading } from '../reading.ts'
import type { RecordSource } from '../state-access.ts'

export type StoredStart = Extract<Command, { kind: 'start' }>

/**
 * Stored starts that are not Runs yet, because their process ended before any owner applied them.
 */
export async function storedStarts(drydock: RecordSource): Promise<readonly StoredStart[]> {
  const pending = await reading(drydock, (records) => records.pendingCommands())
  return pending.flatMap(({ command }) => (command.kind === 'start' ? [command] : []))
}
