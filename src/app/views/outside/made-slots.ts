import { slotName } from '../../../domain/slot/slot-name.ts'
import type { WorkTrees } from '../../../ports/work-trees.ts'

/** Those that were ever made: one after the other, and they stay. */
export async function madeSlots({ isMade }: Pick<WorkTrees, 'isMade'>): Promise<readonly string[]> {
  const slots: string[] = []
  for (let name = slotName(1); await isMade(name); name = slotName(slots.length + 1)) slots.push(name)
  return slots
}
