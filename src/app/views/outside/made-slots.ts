import { slotName } from '../../../domain/slot/slot-name.ts'
import type { WorkTrees } from '../../../ports/work-trees.ts'

/**
 * The slots that exist. Slots are created in order and never removed, so the first missing one ends
 * the list.
 */
export async function madeSlots({ isMade }: Pick<WorkTrees, 'isMade'>): Promise<readonly string[]> {
  const slots: string[] = []
  for (let name = slotName(1); await isMade(name); name = slotName(slots.length + 1)) slots.push(name)
  return slots
}
