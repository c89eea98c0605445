import type { WorkerList } from '../../../api/workers.ts'
import { limits } from '../../../domain/limits.ts'
import { shownHost, stemOf } from '../../../domain/worker/worker-name.ts'
import type { WorkerSign } from '../../../ports/hub/worker-sign.ts'
import type { Records } from '../../../ports/store.ts'
import { reading } from '../../reading.ts'
import type { StateAccess } from '../../state-access.ts'

interface Sources {
  readonly records: Pick<Records, 'machines'>
  readonly workersNow: () => Promise<readonly WorkerSign[]>
}

type WorkerRow = WorkerList['workers'][number]

/**
 * The machines that work on a shared state, by name, with the story in each slot. A lost machine is
 * listed for a day, unless it is back with another disk.
 */
export async function readWorkers({ records, workersNow }: Sources): Promise<WorkerList> {
  const signs = await workersNow()
  if (signs.length === 0) return { workers: [] }
  const offered = await records.machines({ kind: 'slot', states: ['OFFERED'] })
  const holders = [
    ...(await records.machines({ kind: 'run' })).map(({ id, data }) => ({ slot: data.slot, run: id, story: null })),
    ...(await records.machines({ kind: 'story' })).map(({ run, story, data }) => ({ slot: data.slot, run, story })),
  ]
  const hosts = new Set([...signs.map(({ host }) => host), ...offered.map(({ data }) => data.host)])
  const workers = [...hosts].flatMap((host): readonly WorkerRow[] => {
    const slots = offered.flatMap(({ data: { name, host: its } }) => {
      if (its !== host) return []
      const holder = holders.findLast(({ slot }) => slot === name)
      return [{ name, run: holder?.run ?? null, story: holder?.story ?? null }]
    })
    const own = signs.filter((sign) => sign.host === host).toSorted((a, b) => a.silentMs - b.silentMs)
    const alive = own.find(({ isGivenUp }) => !isGivenUp)
    const last = alive ?? own[0]
    const state = stateOf(last)
    // A worker that has ended holds no slot, and disappears after a day.
    const isOver = state === 'ended' || (last?.silentMs ?? 0) > shownMs || isReplaced(last, signs)
    if (slots.length === 0 && isOver) return []
    return [
      {
        name: shownHost(host) ?? 'hub',
        host,
        slots,
        state,
        version: last?.version ?? null,
        since: last?.since ?? null,
        seen_at: last?.seenAt ?? null,
        silent_s: alive === undefined ? null : Math.round(alive.silentMs / 100) / 10,
      },
    ]
  })
  return { workers: workers.toSorted((a, b) => (a.name < b.name ? -1 : 1)) }
}

/** True if a worker with the lost one's token and name has started since in another folder. */
function isReplaced(lost: WorkerSign | undefined, signs: readonly WorkerSign[]): boolean {
  if (lost === undefined || !lost.isGivenUp) return false
  return signs.some(
    ({ host, isGivenUp, since }) =>
      host !== lost.host &&
      stemOf(host) === stemOf(lost.host) &&
      !isGivenUp &&
      since !== null &&
      lost.seenAt !== null &&
      since >= lost.seenAt,
  )
}

/** Milliseconds for which a lost machine is listed. */
const shownMs = 86_400_000

function stateOf(sign: WorkerSign | undefined): WorkerRow['state'] {
  if (sign === undefined) return 'lost'
  if (sign.isGivenUp) return sign.hasLeft ? 'ended' : 'lost'
  if (sign.silentMs > limits.workers.silentMs) return 'silent'
  return sign.isDraining ? 'draining' : 'working'
}

/** Opens the records for one `readWorkers`. */
export function workersOf(drydock: Pick<StateAccess, 'openRecords' | 'workersNow'>): Promise<WorkerList> {
  return reading(drydock, (records) => readWorkers({ ...drydock, records }))
}
