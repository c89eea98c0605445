import { isFinal } from '../../domain/machines.ts'
import type { Transaction } from '../../ports/store.ts'

/** Queues the steps that a rest has kept; the Run itself has been released. */
export async function queueRested(tx: Transaction, machines: readonly string[]): Promise<void> {
  for (const id of machines) {
    const machine = await tx.machine(id)
    // What a reply has ended meanwhile takes no step.
    if (machine !== null && !isFinal(machine)) await tx.queue(machine)
  }
}
