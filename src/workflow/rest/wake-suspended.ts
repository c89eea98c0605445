import { suspensionOf } from '../../domain/lane/lane.ts'
import type { StepDependencies } from '../step-dependencies.ts'

/**
 * A process does not know what providers answered other processes: lanes of the Runs that it takes
 * over simply try again.
 */
export async function wakeSuspended(
  { engine, store }: StepDependencies,
  isTaken: (run: string) => boolean,
): Promise<void> {
  const lanes = (await store.machines({ kind: 'lane', states: ['ASKING'] })).filter(
    ({ run, data }) => isTaken(run) && suspensionOf(data) !== null,
  )
  if (lanes.length === 0) return
  await engine.transact(async (tx) => {
    for (const lane of lanes) await tx.hasten(lane)
  })
}
