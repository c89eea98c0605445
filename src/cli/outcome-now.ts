import { type Drydock, outcomes, type StateReader } from '../compose.ts'
import type { Outcome } from '../domain/outcome.ts'
import type { Run } from '../domain/run.ts'

/** What is to be said of a Run, whoever works on it. */
export async function outcomeNow(drydock: Drydock, records: StateReader, run: Run): Promise<Outcome> {
  return outcomes.read(records, run, { isWorkedOn: await isOwned(drydock) })
}

/** Whether a process works on this state. */
export async function isOwned(drydock: Drydock): Promise<boolean> {
  const connection = await drydock.connect({ change: () => {}, gone: () => {} })
  connection?.close()
  return connection !== null
}
