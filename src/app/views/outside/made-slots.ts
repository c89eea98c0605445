import { existsSync } from 'node:fs'
import { slotName } from '../../../domain/slot/slot-name.ts'
import type { WorkTrees } from '../../../ports/work-trees.ts'

/** Those that were ever made: one after the other, and they stay. */
export function madeSlots({ path }: WorkTrees): readonly string[] {
  const slots: string[] = []
  for (let name = slotName(1); existsSync(path(name)); name = slotName(slots.length + 1)) slots.push(name)
  return slots
}
