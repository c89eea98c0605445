import type { Command } from '../../domain/command.ts'
import type { Drydock } from '../drydock.ts'
import { reading } from '../reading.ts'

export type StoredStart = Extract<Command, { kind: 'start' }>

/** What was stored by a process which ended before anyone took it up: no Runs yet. */
export async function storedStarts(drydock: Drydock): Promise<readonly StoredStart[]> {
  const pending = await reading(drydock, (records) => records.pendingCommands())
  return pending.flatMap(({ command }) => (command.kind === 'start' ? [command] : []))
}
