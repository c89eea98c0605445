import type { ScoutQueryData } from '../../domain/scout/scout-query.ts'
import { slotOf } from '../../domain/story/story.ts'
import type { Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import type { Decision, LaneCall } from '../lane/decision.ts'
import { requireStory } from '../machines.ts'

/** Turns an editor's question into a scout query; the lane waits for the answer. */
export async function askScout(
  deps: Pick<WorkflowDependencies, 'store'>,
  { run, lane, input }: LaneCall<'ask_scout'>,
): Promise<Decision> {
  const { scout, question } = input
  const story = await requireStory(deps.store, lane)
  const n = story.data.queries[scout] + 1
  const queries = { ...story.data.queries, [scout]: n }
  const { name } = story.data
  const data = { scout, question, story: name, n, attempt: 1, problems: [], slot: slotOf(story), asker: lane.id }
  return [
    { type: 'edit_story', story, data: { queries } },
    { type: 'open_query', run: run.id, story: story.story, data },
  ]
}

/** Opens a scout query, a machine whose first step opens the lane of its first try. */
export async function openQuery(
  tx: Transaction,
  run: string,
  story: string | null,
  data: ScoutQueryData,
): Promise<void> {
  const id = `${run}/scout/${data.scout}/${data.story}/${data.n}`
  const { state } = await tx.create({ id, kind: 'scout_query', run, story, data }, 'queue')
  await tx.appendEvent({ run, story, type: 'scout', data: { scout: data.scout, query: data.n, state } })
}
