import { isEnded, type Run } from '../../domain/run/run.ts'
import type { Scope } from '../../domain/scope.ts'
import type { Records } from '../../ports/store.ts'
import { list, storiesOf } from '../machines.ts'

/**
 * The slots that are held by Runs on which this process does not work: they hold their work, and
 * serve nobody else.
 */
export async function slotsAtRest(records: Records, scope: Scope): Promise<readonly string[]> {
  const commands = (await records.pendingCommands()).map(({ command }) => command)
  const wakes = (id: string) => commands.some(({ kind, run }) => kind === 'resume' && (run ?? id) === id)
  const runs = (await list(records, 'run')).filter(
    (run) => !isEnded(run.state) && isAtRest(run, scope) && !wakes(run.id),
  )
  const held = await Promise.all(
    runs.map(async ({ id, data }) => [data.slot, ...(await storiesOf(records, id)).map((story) => story.data.slot)]),
  )
  return held.flat().filter((slot) => slot !== null)
}

function isAtRest({ id, state, data }: Run, scope: Scope): boolean {
  return !scope.has(id) || data.held != null || state === 'PAUSED' || state === 'ERROR'
}
