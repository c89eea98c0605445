import { followedBy, isEnded } from '../../domain/run/run.ts'
import { reading } from '../reading.ts'
import type { RecordSource } from '../state-access.ts'

/**
 * The Runs that stored remarks will start once somebody applies them: one for each Run that is DONE
 * and that no other Run follows yet. `about` limits it to remarks on one Run.
 */
export function storedReviews(drydock: RecordSource, about?: string): Promise<readonly string[]> {
  return reading(drydock, async (records) => {
    const runs = await records.machines({ kind: 'run' })
    const followed = new Set(runs.flatMap((run) => (isEnded(run.state) ? [] : (followedBy(run)?.run ?? []))))
    const starting = new Map<string, string>()
    for (const { command } of await records.pendingCommands()) {
      if (command.kind !== 'review' || (about !== undefined && command.run !== about)) continue
      if (followed.has(command.run) || starting.has(command.run)) continue
      if (runs.find(({ id }) => id === command.run)?.state !== 'DONE') continue
      const known = await records.machines({ kind: 'remark', run: command.run })
      const isNew = command.remarks.some(({ key }) => !known.some(({ data }) => data.key === key))
      if (isNew) starting.set(command.run, command.followUp)
    }
    return [...starting.values()]
  })
}
