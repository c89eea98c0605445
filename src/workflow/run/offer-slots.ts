import { slotId } from '../../domain/slot/slot.ts'
import type { Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'

/** Offers the slots that a worker has created on its host, and withdraws all others there. */
export async function offerSlots(
  tx: Transaction,
  { slots, host }: Pick<WorkflowDependencies, 'slots'> & { readonly host: string },
): Promise<void> {
  const known = await tx.machines({ kind: 'slot' })
  for (const name of slots) {
    const slot = known.find(({ data }) => data.name === name)
    if (slot === undefined) {
      await tx.create({ id: slotId(name), kind: 'slot', run: '', story: null, data: { name, host } }, 'rest')
    } else if (slot.state === 'WITHDRAWN') {
      await tx.move(slot, 'offered', { data: { host }, next: 'rest' })
    }
  }
  for (const slot of known) {
    const { name, host: its } = slot.data
    if (its === host && slot.state === 'OFFERED' && !slots.includes(name))
      await tx.move(slot, 'withdrawn', { next: 'rest' })
  }
}

/**
 * Withdraws the free slots of a host that is about to end, since stories in them would only wait.
 * Slots in use stay, since their running work still pushes commits.
 */
export async function withdrawFreeSlots(tx: Transaction, host: string): Promise<void> {
  const holders = [...(await tx.machines({ kind: 'run' })), ...(await tx.machines({ kind: 'story' }))]
  const held = new Set(holders.map(({ data }) => data.slot))
  for (const slot of await tx.machines({ kind: 'slot', states: ['OFFERED'] })) {
    const { name, host: its } = slot.data
    if (its === host && !held.has(name)) await tx.move(slot, 'withdrawn', { next: 'rest' })
  }
}
