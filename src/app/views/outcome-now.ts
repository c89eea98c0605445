import type { Outcome } from '../../domain/run/outcome.ts'
import type { Run, RunError } from '../../domain/run/run.ts'
import { type ResultNow, resultNow } from '../../workflow/run/read-outcome.ts'
import { reading } from '../reading.ts'
import type { OwnedRecords, StateAccess } from '../state-access.ts'

/** The current result of each Run; null for a Run that is stored and not yet started. */
export async function resultsNow(
  drydock: OwnedRecords,
  runs: readonly string[],
): Promise<readonly (ResultNow | null)[]> {
  const isWorkedOn = await ownership(drydock)
  return reading(drydock, (records) =>
    Promise.all(
      runs.map(async (id) => {
        const run = await records.machineOf('run', id)
        return run && resultNow(records, run, { isWorkedOn: isWorkedOn({ id }) })
      }),
    ),
  )
}

/** A Run that cannot continue until a person acts. */
export interface Standing {
  readonly run: string
  readonly outcome: Outcome
  readonly error?: RunError
}

const needsPerson: readonly Outcome['code'][] = ['PAUSED', 'BUDGET_REACHED', 'WAITS_FOR_YOU', 'ERROR']

/** The Runs that cannot continue without a person, whichever process works on them. */
export async function standingOf(drydock: OwnedRecords, runs: readonly string[]): Promise<readonly Standing[]> {
  const results = await resultsNow(drydock, runs)
  return runs.flatMap((run, i) => {
    const { outcome, error } = results[i] ?? {}
    if (outcome === undefined || !needsPerson.includes(outcome.code)) return []
    return [{ run, outcome, ...(error && { error }) }]
  })
}

/** Returns a test whether a process works on a Run now. */
export async function ownership(drydock: Pick<StateAccess, 'connect'>): Promise<(run: Pick<Run, 'id'>) => boolean> {
  const connection = await drydock.connect({ change: () => {}, gone: () => {} })
  connection?.close()
  const asked = connection?.facts?.asked ?? 'all'
  return ({ id }) => connection !== null && (asked === 'all' || asked.includes(id))
}
