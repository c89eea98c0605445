import type { Machine } from '../../domain/machine.ts'
import type { JobTransaction } from '../../ports/jobs.ts'

/**
 * Withdraws the slots of a host that was given up, takes them from the Runs and stories that held
 * them, and queues what these were at anew: whatever still comes from there is of an older version.
 */
export async function giveUpHost(tx: JobTransaction, host: string): Promise<void> {
  const slots = (await tx.machines({ kind: 'slot', states: ['OFFERED'] })).filter(({ data }) => data.host === host)
  for (const slot of slots) await tx.move(slot, 'withdrawn', { next: 'rest' })
  const names = new Set(slots.map(({ data }) => data.name))
  const isHolder = ({ data }: { data: { readonly slot: string | null } }) => data.slot !== null && names.has(data.slot)
  const runs = (await tx.machines({ kind: 'run' })).filter(isHolder)
  const stories = (await tx.machines({ kind: 'story' })).filter(isHolder)
  for (const holder of [...runs, ...stories]) {
    await tx.edit<Machine>(holder, { slot: null } as object)
    for (const { machine: id, kind } of await tx.jobsOf(holder.run)) {
      const machine = await tx.machine(id)
      if (machine === null || id === holder.id || kind === 'notification') continue
      if (machine.story === holder.story) await tx.edit<Machine>(machine, {})
    }
  }
}
