import type { Standing } from '../../api/views/follow.ts'
import type { OpenEscalation } from '../../domain/request/open-escalations.ts'
import type { Records } from '../../ports/store.ts'
import { readStanding } from '../views/standing.ts'
import type { RecordedHuman } from './recorded-human.ts'

interface Waiting {
  readonly runs: readonly string[]
  /** Results of the Runs that have ended. */
  readonly results: ReadonlyMap<string, unknown>
  readonly human: RecordedHuman | null
}

/**
 * The questions that all unfinished work waits for. Empty while some of that work is in progress or
 * about to start.
 */
export async function waitsFor(
  standing: Standing,
  { runs, human, results }: Waiting,
): Promise<readonly OpenEscalation[]> {
  const all: OpenEscalation[] = []
  if (!standing.applied || standing.pending || standing.runs.length < runs.length) return []
  for (const { run, idle, open } of standing.runs.filter((each) => !results.has(each.run))) {
    if (!idle) return []
    const unanswered = (await human?.unanswered(run)) ?? open
    if (unanswered.length === 0 || unanswered.length < open.length) return []
    all.push(...unanswered)
  }
  return all
}

/** The questions that a Run waits for; empty while any of its work is in progress. */
export async function questionsOf(records: Records, run: string): Promise<readonly OpenEscalation[]> {
  return waitsFor(await readStanding(records, { runs: run }), { runs: [run], results: new Map(), human: null })
}
