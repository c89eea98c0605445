import type { Diff } from '../../api/stories.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { hasCrew } from '../../domain/run/run.ts'
import { storiesOf } from '../../workflow/machines.ts'
import { findRun, type Reading } from './reading.ts'

/** What a story has changed, as of its newest snapshot. */
export async function readStoryDiff(reading: Reading, runId: string, id: string): Promise<Diff> {
  const { records, run } = await findRun(reading, runId)
  const story = (await storiesOf(records, run.id)).find((each) => each.story === id)
  if (story !== undefined) return between(reading, story.data.base, story.data.snapshot?.sha ?? null)
  if (run.data.stories?.some((each) => each.id === id)) return between(reading, null, null)
  throw new DrydockError('not_found', `${run.id} has no story "${id}".`, {
    todo: 'Look at the run: its stories are there.',
  })
}

/** What all merged stories of a spec have changed, or the only one of a task. */
export async function readRunDiff(reading: Reading, runId: string): Promise<Diff> {
  const { records, run } = await findRun(reading, runId)
  if (hasCrew(run)) return between(reading, run.data.base, run.data.tip)
  const [story] = await storiesOf(records, run.id)
  return between(reading, story?.data.base ?? null, story?.data.snapshot?.sha ?? null)
}

async function between({ workspaces }: Reading, base: string | null, sha: string | null): Promise<Diff> {
  if (base === null || sha === null || base === sha) return { base, sha, diff: '', truncated: false }
  const { text, truncated } = await workspaces.diff({ from: base, to: sha, maxBytes: limits.previewBytes })
  return { base, sha, diff: text, truncated }
}
