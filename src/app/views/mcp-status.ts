import type { Run } from '../../domain/run/run.ts'
import type { Records } from '../../ports/store.ts'
import { reading } from '../reading.ts'
import type { OwnedRecords } from '../state-access.ts'
import { briefStoryLines } from './brief-story-lines.ts'
import { findRun } from './find/find-work.ts'
import { ownership } from './outcome-now.ts'
import { readRunFacts } from './run-facts.ts'
import { describeRun } from './status.ts'

/** The most other Runs to list. */
const newest = 10

/**
 * The status of the named Run, or of the latest, with its questions in full, and one line for each
 * of the newest other Runs. Throws DrydockError `not_found`.
 */
export async function mcpStatus(drydock: OwnedRecords, id: string | undefined): Promise<object> {
  const isOwned = await ownership(drydock)
  return reading(drydock, async (records) => {
    const runs = await records.machines({ kind: 'run' })
    if (runs.length === 0) return { run: null, others: [] }
    const run = await findRun(records, id)
    const others = runs.filter((other) => other.id !== run.id).slice(-newest)
    return {
      run: {
        ...(await lineOf(records, run, isOwned(run))),
        ...(await workOf(records, run)),
      },
      others: await Promise.all(others.map((other) => lineOf(records, other, isOwned(other)))),
    }
  })
}

async function lineOf(records: Records, run: Run, owned: boolean): Promise<object> {
  const line = await describeRun(records, run, owned)
  const [title] = line.title.split('\n')
  return { ...line, title }
}

/** The questions of a Run, and its stories if they have names. */
async function workOf(records: Records, run: Run): Promise<object> {
  const facts = await readRunFacts(records, run)
  const questions = facts.open.map(({ message: { id, story, content }, assignedTo }) => ({
    message: id,
    story,
    question: content,
    ...(assignedTo !== null && { for: assignedTo }),
  }))
  return { ...(run.data.policy.reviewer !== null && { stories: briefStoryLines(facts) }), questions }
}
