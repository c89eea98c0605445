import type { Plan } from '../../../api/plan.ts'
import type { Run } from '../../../domain/run/run.ts'
import { type BuiltStory, estimateOf, sizeOf } from '../../../domain/story/estimate.ts'
import type { PlannedStory } from '../../../domain/story/planned-story.ts'
import type { Records } from '../../../ports/store.ts'
import { costsOfStory } from '../costs.ts'

/** The estimated cost of stories, from the given Runs; null if these are not comparable. */
export async function readEstimate(
  records: Records,
  runs: readonly Run[],
  stories: readonly PlannedStory[],
): Promise<Plan['estimate']> {
  const estimate = estimateOf(stories, await builtStories(records, runs))
  if (estimate === null) return null
  const { basis, total } = estimate
  return { basis, total, stories: estimate.stories.map(({ anySize, ...each }) => ({ ...each, any_size: anySize })) }
}

/** Planned stories that were merged and whose cost is known. */
async function builtStories(records: Records, runs: readonly Run[]): Promise<readonly BuiltStory[]> {
  const built: BuiltStory[] = []
  for (const run of runs.filter((run) => run.data.stories !== null)) {
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
