import type { Drydock, StateReader } from '../compose.ts'
import { hasCrew, type Run } from '../domain/run/run.ts'
import { findRun } from './find-run.ts'
import { ownership } from './outcome-now.ts'
import { reading } from './reading.ts'
import { readCrew, storyLines } from './report/crew.ts'
import { describe } from './status.ts'

/** How many Runs are named beside the one that is shown. */
const newest = 10

/**
 * What `drydock status` knows of one Run, or of the latest, with its questions in full; and a line
 * of the newest others. DrydockError `not_found`.
 */
export async function mcpStatus(drydock: Drydock, id: string | undefined): Promise<object> {
  const isOwned = await ownership(drydock)
  return reading(drydock, async (records) => {
    const runs = ((await records?.machines({ kind: 'run' })) ?? []) as readonly Run[]
    if (records === null || runs.length === 0) return { run: null, others: [] }
    const run = await findRun(records, id)
    const others = runs.filter((other) => other.id !== run.id).slice(-newest)
    return {
      run: { ...(await lineOf(records, run, isOwned(run))), ...(hasCrew(run) && (await crewOf(records, run))) },
      others: await Promise.all(others.map((other) => lineOf(records, other, isOwned(other)))),
    }
  })
}

async function lineOf(records: StateReader, run: Run, owned: boolean): Promise<object> {
  const line = await describe(records, run, owned)
  const [title] = line.title.split('\n')
  return { ...line, title }
}

async function crewOf(records: StateReader, run: Run): Promise<object> {
  const crew = await readCrew(records, run)
  const questions = crew.open.map(({ message: { id, story, content } }) => ({ message: id, story, question: content }))
  return { stories: storyLines(crew), questions }
}
