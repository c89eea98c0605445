import { suspensionOf } from '../../domain/lane/lane.ts'
import type { WorkflowDependencies } from '../dependencies.ts'

/**
 * A new process knows nothing of what its providers answered another: lanes that wait for one
 * simply ask.
 */
export async function wakeSuspended({ engine, store }: WorkflowDependencies): Promise<void> {
  const lanes = (await store.machines({ kind: 'lane', states: ['ASKING'] })).filter(
    ({ data }) => suspensionOf(data) !== null,
  )
  if (lanes.length === 0) return
  await engine.transact(async (tx) => {
    for (const lane of lanes) await tx.hasten(lane)
  })
}
