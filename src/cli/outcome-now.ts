import { type Drydock, outcomes, type StateReader } from '../compose.ts'
import type { Outcome } from '../domain/run/outcome.ts'
import type { Run } from '../domain/run/run.ts'

/** What is to be said of a Run, whoever works on it. */
export async function outcomeNow(drydock: Drydock, records: StateReader, run: Run): Promise<Outcome> {
  return outcomes.read(records, run, { isWorkedOn: (await ownership(drydock))(run) })
}

/** Whether a process works on a Run now. */
export async function ownership(drydock: Drydock): Promise<(run: Pick<Run, 'id'>) => boolean> {
  const connection = await drydock.connect({ change: () => {}, gone: () => {} })
  connection?.close()
  const asked = connection?.facts?.asked ?? 'all'
  return ({ id }) => connection !== null && (asked === 'all' || asked.includes(id))
}
