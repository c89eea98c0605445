import type { Plan } from '../../api/plan.ts'
import { repositoriesOf } from '../../domain/run/repositories.ts'
import { hasCrew, type Run } from '../../domain/run/run.ts'
import { type BuiltStory, estimateOf, sizeOf } from '../../domain/story/estimate.ts'
import { isUntouched } from '../../domain/story/plan-changes.ts'
import type { PlannedStory } from '../../domain/story/planned-story.ts'
import type { Records } from '../../ports/store.ts'
import { editableIn } from '../../workflow/run/edit-plan.ts'
import { planVersion } from '../../workflow/run/plan-version.ts'
import type { Drydock } from '../drydock.ts'
import { reading } from '../reading.ts'
import { costsOfStory } from './costs.ts'
import { findWork } from './find/find-work.ts'

/** The stories of a Run as a person can edit them. */
export async function readPlan(records: Records, run: Run): Promise<Plan> {
  const stories = run.data.stories ?? []
  const machines = await records.machines({ kind: 'story', run: run.id })
  const known = new Map(machines.map((story) => [story.story, story]))
  const begun = (id: string) => {
    const story = known.get(id)
    return story !== undefined && !isUntouched(story)
  }
  const runs = await records.machines({ kind: 'run' })
  const open = stories.filter(({ id }) => !begun(id))
  return {
    run: run.id,
    version: planVersion(stories),
    stories: stories.map((story) => ({
      ...plainStory(story),
      edited_by: story.edited_by ?? null,
      state: known.get(story.id)?.state ?? null,
      begun: begun(story.id),
    })),
    editors: [...(run.data.planEditors ?? [])],
    editable: editableIn(run),
    repositories: repositoriesOf(run).map(({ name }) => name),
    built_by:
      runs.findLast(({ data: { request } }) => request.kind === 'spec' && request.planOf === run.id)?.id ?? null,
    estimate: toEstimate(open, await builtStories(records, runs)),
  }
}

/**
 * The plan of a Run, without an id that of the last one whose plan can be edited. DrydockError
 * `not_found`.
 */
export function planToEdit(drydock: Drydock, id: string | undefined): Promise<Plan> {
  return reading(drydock, async (records) => {
    const { run } = await findWork(records, id, (each) => editableIn(each) !== null)
    return readPlan(records, run)
  })
}

function plainStory({ edited_by: _, ...story }: PlannedStory) {
  const { acceptance_criteria, depends_on, files_hint } = story
  return {
    ...story,
    ...{ acceptance_criteria: [...acceptance_criteria], depends_on: [...depends_on], files_hint: [...files_hint] },
  }
}

function toEstimate(stories: readonly PlannedStory[], built: readonly BuiltStory[]): Plan['estimate'] {
  const estimate = estimateOf(stories, built)
  if (estimate === null) return null
  const { basis, total } = estimate
  return { basis, total, stories: estimate.stories.map(({ anySize, ...each }) => ({ ...each, any_size: anySize })) }
}

/** Stories of crews that are in their branches and whose cost is known. */
async function builtStories(records: Records, runs: readonly Run[]): Promise<readonly BuiltStory[]> {
  const built: BuiltStory[] = []
  for (const run of runs.filter(hasCrew)) {
    const done = await records.machines({ kind: 'story', run: run.id, states: ['DONE'] })
    if (done.length === 0) continue
    const spending = await records.spending(run.id)
    for (const { story, data } of done) {
      const { cost_usd: usd, calls } = costsOfStory(spending, story ?? '')
      if (usd !== null && calls > 0 && data.planned) built.push({ size: sizeOf(data.planned), usd })
    }
  }
  return built
}
