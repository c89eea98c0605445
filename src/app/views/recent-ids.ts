import { reading } from '../reading.ts'
import type { RecordSource } from '../state-access.ts'

/** More would be a list to read, not to choose from. */
const shown = 20

/** The latest runs, and the stories of the latest spec. */
export function readRecentIds(drydock: RecordSource): Promise<readonly string[]> {
  return reading(drydock, async (records) => {
    const runs = await records.machines({ kind: 'run' })
    const crew = runs.findLast(({ data }) => data.request.kind === 'spec')
    const stories = crew === undefined ? [] : await records.machines({ kind: 'story', run: crew.id })
    return [...runs.slice(-shown).map(({ id }) => id), ...stories.flatMap(({ story }) => story ?? [])]
  })
}
