import { existsSync } from 'node:fs'
import { slotName } from '../../../domain/slot-name.ts'
import type { Workspaces } from '../../../ports/workspace.ts'

/** Those that were ever made: one after the other, and they stay. */
export function madeSlots({ path }: Workspaces): readonly string[] {
  const slots: string[] = []
  for (let name = slotName(1); existsSync(path(name)); name = slotName(slots.length + 1)) slots.push(name)
  return slots
}
