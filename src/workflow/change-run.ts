import type { Run, RunData } from '../domain/run.ts'
import type { Transaction } from '../ports/store.ts'

/** Changes what is kept of a Run beside its own step: one that is queued or under way was made for the version before, so it is taken again. */
export async function changeRun(tx: Transaction, run: Run, data: Partial<RunData>): Promise<Run> {
  const isQueued = (await tx.jobs()).some(({ machine, version }) => machine === run.id && version === run.version)
  const changed = await tx.updateMachine(run, { state: run.state, data: { ...run.data, ...data } })
  if (isQueued) await tx.enqueue(changed)
  return changed
}
