import type { StateReader } from '../compose.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import { isEnded, type Run } from '../domain/run.ts'

/**
 * The Run that an id names, also as `<run>/<story>`; without one the latest that is meant, else the latest of all. DrydockError `not_found`.
 */
export async function findRun(
  records: StateReader | null,
  id: string | undefined,
  isMeant: (run: Run) => boolean = () => true,
): Promise<Run> {
  const runs = (await records?.machines({ kind: 'run' })) as readonly Run[] | undefined
  const wanted = id?.split('/')[0]
  const run =
    wanted === undefined ? (runs?.findLast(isMeant) ?? runs?.at(-1)) : runs?.find((other) => other.id === wanted)
  if (run) return run
  const known = runs?.slice(-5).map((other) => other.id) ?? []
  throw new DrydockError('not_found', id === undefined ? 'There is no run yet.' : `There is no run "${id}".`, {
    todo: known.length > 0 ? `The last ones are: ${known.join(', ')}` : 'Start one: drydock task "…"',
  })
}

export const isTask = (run: Run): boolean => run.data.request.kind === 'task'
export const isUnfinished = (run: Run): boolean => !isEnded(run.state)
export const isRetryable = (run: Run): boolean =>
  isTask(run) && (run.state === 'STUCK' || run.state === 'INFRA_ERROR' || run.state === 'CANCELLED')
