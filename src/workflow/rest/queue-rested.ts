import { isFinal } from '../../domain/machines.ts'
import type { Transaction } from '../../ports/store.ts'

/** Queues the steps that a rest has kept, after the Run itself was released. */
export async function queueRested(tx: Transaction, machines: readonly string[]): Promise<void> {
  for (const id of machines) {
    const machine = await tx.machine(id)
    // A machine that a reply has ended in the meantime takes no step.
    if (machine !== null && !isFinal(machine)) await tx.queue(machine)
  }
}
