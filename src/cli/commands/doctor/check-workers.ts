import type { StateAccess } from '../../../app/state-access.ts'
import { workersOf } from '../../../app/views/hub/workers.ts'
import { version } from '../../../processes/installation.ts'
import { type Check, failed } from './check.ts'

type WorkerRow = Awaited<ReturnType<typeof workersOf>>['workers'][number]

/** Lists the machines that work on a shared state; empty if the state is not shared. */
export async function checkWorkers(
  drydock: Pick<StateAccess, 'openRecords' | 'workersNow'>,
): Promise<readonly Check[]> {
  try {
    const { workers } = await workersOf(drydock)
    if (workers.length === 0) return []
    const others = workers.filter(({ name }) => name !== 'hub')
    const hub = workers.find(({ name }) => name === 'hub')
    const by = (state: WorkerRow['state']) => others.filter((worker) => worker.state === state).length
    const counted = (['working', 'draining', 'silent', 'lost', 'ended'] as const).flatMap((state) =>
      by(state) === 0 ? [] : [`${by(state)} ${state}`],
    )
    const here = hub?.silent_s == null ? 'no hub is running' : 'the hub is running'
    const found = `${here}; workers: ${counted.join(', ') || 'none'}`
    return [{ name: 'workers', ok: true, found, exit: 0 }, ...workers.flatMap(problemOf)]
  } catch (error) {
    return [failed('workers', error, 'Nobody can be seen at work.')]
  }
}

/** Reports a worker that needs attention. This machine lacks nothing, so the check passes. */
function problemOf({ name, state, seen_at, version: its }: WorkerRow): readonly Check[] {
  const check = { name: 'workers', ok: true, exit: 0 }
  if (name !== 'hub' && (state === 'silent' || state === 'lost')) {
    const last = seen_at === null ? '' : ` since ${seen_at.slice(0, 19).replace('T', ' ')} UTC`
    const fix = 'Look at its machine, and start it again there: drydock worker --hub …'
    return [{ ...check, found: `${name} is ${state}${last}; its stories go on elsewhere`, fix }]
  }
  if (its === null || its === version() || state === 'lost') return []
  const fix = name === 'hub' ? 'Update the hub first, then its workers.' : `drydock hub drain ${name}, then update it.`
  return [{ ...check, found: `${name} is Drydock ${its}, and this is ${version()}`, fix }]
}
