import type { StateReader } from '../compose.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import type { Run } from '../domain/run.ts'

/** The Run that an id names, also as `<run>/<story>`; the latest without one. DrydockError `not_found`. */
export async function findRun(records: StateReader | null, id: string | undefined): Promise<Run> {
  const runs = (await records?.machines({ kind: 'run' })) as readonly Run[] | undefined
  const wanted = id?.split('/')[0]
  const run = wanted === undefined ? runs?.at(-1) : runs?.find((other) => other.id === wanted)
  if (run) return run
  const known = runs?.slice(-5).map((other) => other.id) ?? []
  throw new DrydockError('not_found', id === undefined ? 'There is no run yet.' : `There is no run "${id}".`, {
    todo: known.length > 0 ? `The last ones are: ${known.join(', ')}` : 'Start one: drydock task "…"',
  })
}
