import type { Drydock } from '../../compose.ts'
import { hasCrew, type Run } from '../../domain/run/run.ts'
import type { Story } from '../../domain/story/story.ts'
import { openEscalations } from '../open-escalations.ts'
import { reading } from '../reading.ts'
import { usdOf } from '../screen/format-usd.ts'
import type { Progress } from '../screen/progress.ts'
import { createStoryline } from '../screen/storyline.ts'

/** Where the stories of crews are whose earlier events are not shown again. */
export async function recallCrews(drydock: Drydock, runs: readonly string[], progress: Progress): Promise<void> {
  await reading(drydock, async (records) => {
    for (const id of runs) {
      const run = (await records?.machine(id)) as Run | null | undefined
      if (!records || !run || !hasCrew(run)) continue
      const storyline = createStoryline()
      const stories = (await records.machines({ kind: 'story', run: id })) as readonly Story[]
      for (const { story, state, data } of stories) {
        storyline.stories.set(story ?? '', { state, attempt: data.failures.loops + 1 })
      }
      for (const { message } of await openEscalations(records, run)) storyline.questions.add(message.id)
      const { tokens, costMicroUsd: microUsd, unpriced } = await records.totals(id)
      const costUsd = usdOf({ microUsd, unpriced })
      progress.recall(id, Object.assign(storyline, { kind: 'spec', state: run.state, tokens, costUsd }))
    }
  })
}
