import { isEnded, isHeld, type Run } from '../../domain/run/run.ts'
import type { Scope } from '../../domain/scope.ts'
import type { Records } from '../../ports/store.ts'
import { storiesOf } from '../machines.ts'

/**
 * The slots of a host that belong to Runs on which this process does not work: they hold those
 * Runs' work, so no other Run may use them.
 */
export async function slotsAtRest(
  records: Records,
  { scope, host }: { readonly scope: Scope; readonly host: string },
): Promise<readonly string[]> {
  const commands = (await records.pendingCommands()).map(({ command }) => command)
  const wakes = (id: string) => commands.some(({ kind, run }) => kind === 'resume' && (run ?? id) === id)
  const runs = (await records.machines({ kind: 'run' })).filter(
    (run) => !isEnded(run.state) && isAtRest(run, scope) && !wakes(run.id),
  )
  const held = await Promise.all(
    runs.map(async ({ id, data }) => [data.slot, ...(await storiesOf(records, id)).map((story) => story.data.slot)]),
  )
  const offered = await records.machines({ kind: 'slot' })
  const elsewhere = new Set(offered.filter(({ data }) => data.host !== host).map(({ data }) => data.name))
  return held
    .flat()
    .filter((slot) => slot !== null)
    .filter((slot) => !elsewhere.has(slot))
}

function isAtRest(run: Run, scope: Scope): boolean {
  const { id, state } = run
  return !scope.has(id) || isHeld(run) || state === 'PAUSED' || state === 'ERROR'
}
