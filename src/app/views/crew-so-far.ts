import { usdOf } from '../../domain/figures-text.ts'
import type { Run } from '../../domain/run/run.ts'
import { namesStories } from '../../domain/run/run-policy.ts'
import type { Story } from '../../domain/story/story.ts'
import { reading } from '../reading.ts'
import type { RecordSource } from '../state-access.ts'
import { openEscalations } from './open-escalations.ts'

/** The progress of a crew, for viewers that have not seen its earlier events. */
export interface CrewSoFar {
  readonly run: Run
  readonly stories: readonly Story[]
  /** Ids of the messages that wait for a human. */
  readonly questions: readonly string[]
  readonly tokens: number
  /** Null while the price of a call is unknown. */
  readonly costUsd: number | null
}

/** The progress of each Run that has a crew. */
export function readCrewsSoFar(drydock: RecordSource, runs: readonly string[]): Promise<readonly CrewSoFar[]> {
  return reading(drydock, async (records) => {
    const crews: CrewSoFar[] = []
    for (const id of runs) {
      const run = await records.machineOf('run', id)
      if (run === null || !namesStories(run)) continue
      const { tokens, costMicroUsd: microUsd, unpriced } = await records.totals(id)
      crews.push({
        run,
        tokens,
        costUsd: usdOf({ microUsd, unpriced }),
        stories: await records.machines({ kind: 'story', run: id }),
        questions: (await openEscalations(records, run)).map(({ message }) => message.id),
      })
    }
    return crews
  })
}
