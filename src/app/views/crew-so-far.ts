import type { Crews } from '../../api/views/follow.ts'
import { usdOf } from '../../domain/figures-text.ts'
import { namesStories } from '../../domain/run/run-policy.ts'
import { reading } from '../reading.ts'
import type { RecordSource } from '../state-access.ts'
import { openEscalations } from './open-escalations.ts'

/** The progress of each of the Runs that has a crew, for viewers that do not see earlier events. */
export function readCrewsSoFar(drydock: RecordSource, runs: readonly string[]): Promise<Crews> {
  return reading(drydock, async (records) => {
    const crews: Crews['crews'][number][] = []
    for (const id of runs) {
      const run = await records.machineOf('run', id)
      if (run === null || !namesStories(run)) continue
      const { tokens, costMicroUsd: microUsd, unpriced } = await records.totals(id)
      const stories = await records.machines({ kind: 'story', run: id })
      crews.push({
        run: id,
        state: run.state,
        stories: stories.map(({ story, state, data }) => ({
          id: story ?? '',
          state,
          attempt: data.failures.loops + 1,
        })),
        questions: (await openEscalations(records, run)).map(({ message }) => message.id),
        tokens,
        cost_usd: usdOf({ microUsd, unpriced }),
      })
    }
    return { crews }
  })
}
