import { DrydockError } from '../../domain/drydock-error.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Artifacts } from '../../ports/artifacts.ts'
import type { Records } from '../../ports/store.ts'
import type { Workspaces } from '../../ports/workspace.ts'
import { list, load } from '../../workflow/machines.ts'
import type { Pulse } from './pulse.ts'

/** What the dashboard reads from, beside whoever owns the state. */
export interface Reading {
  readonly workspaces: Pick<Workspaces, 'diff'>
  readonly artifacts: Pick<Artifacts, 'readLog'>
  readonly pulse: Pick<Pulse, 'owned'>
  readonly now: () => Date
  /** null while there is no state. */
  readonly records: () => Records | null
  /** Folder of the repository. */
  readonly repository: string
  readonly version: string
}

/** The records, and a Run in them. DrydockError `not_found`. */
export async function findRun(
  { records: open }: Reading,
  id: string,
): Promise<{ readonly records: Records; readonly run: Run }> {
  const records = open()
  const machine = (await records?.machine(id)) ?? null
  if (records !== null && machine?.kind === 'run') return { records, run: await load(records, 'run', id) }
  const known = records === null ? [] : (await list(records, 'run')).slice(-5).map((each) => each.id)
  throw new DrydockError('not_found', `There is no run "${id}".`, {
    todo: known.length > 0 ? `The last ones are: ${known.join(', ')}` : 'Start one.',
  })
}
