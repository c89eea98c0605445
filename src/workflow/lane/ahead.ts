import type { Engine } from '../../ports/engine.ts'
import type { Transaction } from '../../ports/store.ts'
import type { Decoration } from '../decorate.ts'

/**
 * Records that this process has stored for a lane's next step in the commit of the previous step:
 * the reservation of its call, or the started row of its command. The next step then saves a commit
 * of its own. Only memory knows that this step has not started: after a crash it counts as started.
 * Nothing is stored ahead if other processes may take the next step or take it away.
 */
export interface Ahead {
  readonly isAllowed: boolean
  /** Marks that the commit being made stores records for the lane. */
  note(lane: string): void
  has(lane: string): boolean
  /**
   * Forgets the mark, because the next step of the lane starts or the commit failed. Returns true
   * if there was a mark.
   */
  take(lane: string): boolean
  /** Stores that the next step is not taken now. Call `take` after that commit. */
  withdraw(tx: Transaction, lane: string): Promise<void>
  /** Withdraws the stored records of a lane's next step if that step is taken away. */
  readonly withdrawing: Decoration
  /** Withdraws the stored records of all lanes, before the process ends. */
  withdrawAll(engine: Engine): Promise<void>
}

export function createAhead({ isAllowed }: Pick<Ahead, 'isAllowed'>): Ahead {
  const lanes = new Set<string>()

  async function withdraw(tx: Transaction, lane: string): Promise<void> {
    if (!lanes.has(lane)) return
    await tx.settle(lane, 'known')
    await tx.withdrawTools(lane)
  }

  const withdrawing: Decoration = (tx) => {
    const withdrawn: string[] = []
    const withdrawEach = async (machines: readonly string[]) => {
      for (const machine of machines) await withdraw(tx, machine)
      withdrawn.push(...machines)
      return machines
    }
    const own: Partial<Transaction> = {
      hold: async (...of) => withdrawEach(await tx.hold(...of)),
      drop: async (...of) => withdrawEach(await tx.drop(...of)),
      async move(machine, event, change) {
        // The lane continues or ends in another way than with that step.
        if (event === 'continued' || event === 'ended') {
          await withdraw(tx, machine.id)
          withdrawn.push(machine.id)
        }
        return tx.move(machine, event, change)
      },
      // The withdrawn call never started, so its outcome is known.
      settle: (lane, outcome) => tx.settle(lane, lanes.has(lane) ? 'known' : outcome),
    }
    const committed = () => {
      for (const lane of withdrawn) lanes.delete(lane)
    }
    return { own, committed }
  }

  return {
    isAllowed,
    note: (lane) => void lanes.add(lane),
    has: (lane) => lanes.has(lane),
    take: (lane) => lanes.delete(lane),
    withdraw,
    withdrawing,
    async withdrawAll(engine) {
      if (lanes.size === 0) return
      await engine.transact(async (tx) => {
        for (const lane of lanes) await withdraw(tx, lane)
      })
      lanes.clear()
    },
  }
}
