import type { Plan } from '../../../api/plan.ts'
import { repositoriesOf } from '../../../domain/run/repositories.ts'
import type { Run } from '../../../domain/run/run.ts'
import { isUntouched } from '../../../domain/story/plan-changes.ts'
import type { PlannedStory } from '../../../domain/story/planned-story.ts'
import type { Records } from '../../../ports/store.ts'
import { editableIn } from '../../../workflow/architect/edit-plan.ts'
import { planVersion } from '../../../workflow/architect/plan-version.ts'
import { reading } from '../../reading.ts'
import type { RecordSource } from '../../state-access.ts'
import { findRun } from '../view-sources.ts'
import { readEstimate } from './read-estimate.ts'

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
    estimate: await readEstimate(records, runs, open),
  }
}

/** The plan of exactly this Run. DrydockError `not_found`. */
export function readPlanOf(drydock: RecordSource, id: string): Promise<Plan> {
  return reading(drydock, async (records) => readPlan(records, await findRun({ records }, id)))
}

function plainStory({ edited_by: _, ...story }: PlannedStory) {
  const { acceptance_criteria, depends_on, files_hint } = story
  return {
    ...story,
    acceptance_criteria: [...acceptance_criteria],
    depends_on: [...depends_on],
    files_hint: [...files_hint],
  }
}
