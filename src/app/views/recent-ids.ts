import { reading } from '../reading.ts'
import type { RecordSource } from '../state-access.ts'

/** The most ids to suggest: people would have to read a longer list. */
const shown = 20

/** The latest Runs, and the stories of the latest spec. */
export function readRecentIds(drydock: RecordSource): Promise<readonly string[]> {
  return reading(drydock, async (records) => {
    const runs = await records.machines({ kind: 'run' })
    const crew = runs.findLast(({ data }) => data.request.kind === 'spec')
    const stories = crew === undefined ? [] : await records.machines({ kind: 'story', run: crew.id })
    return [...runs.slice(-shown).map(({ id }) => id), ...stories.flatMap(({ story }) => story ?? [])]
  })
}
