import type { Drydock } from '../../compose.ts'
import { isEnded, type Run, type SpecRequest } from '../../domain/run/run.ts'
import type { CommonOptions } from '../context.ts'
import { storedStarts } from '../control.ts'
import { reading } from '../reading.ts'

interface Before {
  readonly id: string
  /** null while it is only stored. */
  readonly run: Run | null
}

/** The newest Run of the same spec that is unfinished or DONE. */
export async function findBefore(
  drydock: Drydock,
  { request, options }: { readonly request: SpecRequest; readonly options: CommonOptions },
): Promise<Before | null> {
  const text = drydock.redact(request.spec.text)
  const isSame = (other: SpecRequest, target: string | null) =>
    other.planOnly === request.planOnly &&
    other.spec.text === text &&
    (request.stories === null || JSON.stringify(other.stories) === JSON.stringify(request.stories)) &&
    (options.target === undefined || options.target === target)
  const starts = await storedStarts(drydock)
  const stored = starts.findLast((start) => start.request.kind === 'spec' && isSame(start.request, start.target))
  if (stored) return { id: stored.run, run: null }
  const runs = await reading(drydock, async (records) => (await records?.machines({ kind: 'run' })) ?? [])
  const run = (runs as readonly Run[]).findLast(
    ({ data }) => data.request.kind === 'spec' && isSame(data.request, data.target),
  )
  return run && (run.state === 'DONE' || !isEnded(run.state)) ? { id: run.id, run } : null
}
