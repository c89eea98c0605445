import type { Engine } from '../../ports/engine.ts'
import type { Transaction } from '../../ports/store.ts'
import type { Decoration } from '../decorate.ts'

/**
 * What this process has stored for the next step of a lane in the commit of the step before: the
 * reservation of its call, or the started row of its command. The next step then begins without a
 * commit of its own. Only memory knows that it has not begun: after a crash it counts as begun.
 * Where other processes may take the next step, or take it away, nothing is stored ahead.
 */
export interface Ahead {
  readonly isAllowed: boolean
  /** Something is stored for the lane with the commit that is being made. */
  note(lane: string): void
  has(lane: string): boolean
  /**
   * The next step of the lane begins, or that commit came to nothing. Returns whether anything was
   * stored for it.
   */
  take(lane: string): boolean
  /** Writes that the next step is not taken now. `take` it once that is committed. */
  withdraw(tx: Transaction, lane: string): Promise<void>
  /** Withdraws what is stored for a lane's next step when that step is taken away. */
  readonly withdrawing: Decoration
  /** Withdraws what is stored for all lanes, before the process ends. */
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
        // Wherever it continues or ends, it is not with that step.
        if (event === 'continued' || event === 'ended') {
          await withdraw(tx, machine.id)
          withdrawn.push(machine.id)
        }
        return tx.move(machine, event, change)
      },
      // No end of its call was missed.
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
