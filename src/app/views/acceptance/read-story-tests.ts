import type { StoryAcceptance, StoryTests } from '../../../api/acceptance.ts'
import { acceptanceId } from '../../../domain/acceptance/acceptance.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import type { Story } from '../../../domain/story/story.ts'
import type { Records } from '../../../ports/store.ts'
import { testsOf } from '../../../workflow/architect/acceptance/story-tests.ts'
import { load } from '../../../workflow/machines.ts'
import { reading } from '../../reading.ts'
import type { RecordSource } from '../../state-access.ts'
import { findExactly } from '../find/find-exactly.ts'
import { findWork, type Work } from '../find/find-work.ts'
import { readAcceptances } from './read-acceptance.ts'

/**
 * The hidden tests of the named story, or of all stories of a Run, for people who may read them. No
 * editor sees these tests.
 */
export async function readStoryTests(records: Records, { run, story: named }: Work): Promise<readonly StoryTests[]> {
  const stories = named === null ? await records.machines({ kind: 'story', run: run.id }) : [named]
  const known = await readAcceptances(records, run, stories)
  const found: StoryTests[] = []
  for (const story of stories) {
    const acceptance = known.get(story.story)
    if (acceptance !== undefined) found.push(await withTests(records, story, acceptance))
  }
  return found
}

/**
 * The hidden tests of the story or Run that an id names, with its Run. Throws DrydockError
 * `not_found`.
 */
export function lookUpTests(
  drydock: RecordSource,
  id: string | undefined,
): Promise<{ readonly run: string; readonly found: readonly StoryTests[] }> {
  return reading(drydock, async (records) => {
    const work = await findWork(records, id)
    return { run: work.run.id, found: await readStoryTests(records, work) }
  })
}

/** The hidden tests of one story, by its full id. Throws DrydockError `not_found`. */
export async function findStoryTests(records: Records, id: string): Promise<StoryTests> {
  const work = await findExactly(records, id)
  const [found] = await readStoryTests(records, work)
  if (found !== undefined) return found
  throw new DrydockError('not_found', `No architect writes tests for ${id}.`, { todo: 'See the story itself.' })
}

async function withTests(
  records: Records,
  { run, story }: Story,
  { state, criteria: shown }: StoryAcceptance,
): Promise<StoryTests> {
  const id = acceptanceId(run, story ?? '')
  const { files, stub, criteria, problems } = await testsOf({ store: records }, { id })
  const { data } = await load(records, 'acceptance', id)
  const reasons = new Map(data.criteria.map((each) => [each.id, each.judged?.reason || null]))
  const names = new Map(criteria.map((each) => [each.id, each.tests]))
  return {
    run,
    story: story ?? '',
    state,
    criteria: shown.map((each) => ({
      ...each,
      tests: [...(names.get(each.id) ?? [])],
      reason: reasons.get(each.id) ?? null,
      problems: problems.flatMap((one) => (one.id === each.id ? [one.problem] : [])),
    })),
    files: [...files],
    stub: [...stub],
  }
}
