import type { Machine } from '../../domain/machine.ts'
import type { HostGone } from '../../ports/engine.ts'
import type { JobTransaction } from '../../ports/jobs.ts'

/**
 * Withdraws the slots of a lost host, takes them from the Runs and stories that held them, and
 * queues their work again. Anything that still arrives from that host then has an old version.
 */
export async function giveUpHost(tx: JobTransaction, host: string): Promise<Pick<HostGone, 'runs' | 'stories'>> {
  const own = (await tx.machines({ kind: 'slot' })).filter(({ data }) => data.host === host)
  for (const slot of own) if (slot.state === 'OFFERED') await tx.move(slot, 'withdrawn', { next: 'rest' })
  const names = new Set(own.map(({ data }) => data.name))
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
  return { runs: runs.map(({ id }) => id), stories: stories.map(({ id }) => id) }
}
