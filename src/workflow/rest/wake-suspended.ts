import { suspensionOf } from '../../domain/lane/lane.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { list } from '../machines.ts'

/**
 * A new process knows nothing of what its providers answered another: lanes that wait for one
 * simply ask.
 */
export async function wakeSuspended({ engine, store }: WorkflowDependencies): Promise<void> {
  const lanes = (await list(store, 'lane', { states: ['ASKING'] })).filter(({ data }) => suspensionOf(data) !== null)
  if (lanes.length === 0) return
  await engine.transact(async (tx) => {
    for (const lane of lanes) await tx.hasten(lane)
  })
}
