import { isEnded } from '../domain/run.ts'
import type { Transaction } from '../ports/store.ts'
import { list } from './machines.ts'

/** Gives free slots to the Runs that wait, strictly in their order; a Run in ERROR has given its slot up, unless it holds work that could not be kept. */
export async function schedule(tx: Transaction, slots: readonly string[]): Promise<void> {
  const runs = (await list(tx, 'run')).filter((run) => !isEnded(run.state))
  const taken = new Set(runs.map((run) => run.data.slot))
  const free = slots.filter((slot) => !taken.has(slot))
  for (const run of runs) {
    if (run.state !== 'WAITING' || run.data.slot !== null) continue
    const slot = free.shift()
    if (slot === undefined) return
    await tx.enqueue(await tx.updateMachine(run, { state: 'WAITING', data: { ...run.data, slot } }))
  }
}
