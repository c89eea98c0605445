import type { WorkerList } from '../../../api/workers.ts'
import { shownHost } from '../../../domain/worker/worker-name.ts'
import type { WorkerSign } from '../../../ports/hub/worker-sign.ts'
import type { Records } from '../../../ports/store.ts'
import type { Drydock } from '../../drydock.ts'
import { reading } from '../../reading.ts'

interface Sources {
  readonly records: Pick<Records, 'machines'>
  readonly workersNow: () => Promise<readonly WorkerSign[]>
}

type Shown = WorkerList['workers'][number]

/** The machines that work on a shared state, by name, and what each of their slots is given to. */
export async function readWorkers({ records, workersNow }: Sources): Promise<WorkerList> {
  const signs = await workersNow()
  const offered = await records.machines({ kind: 'slot', states: ['OFFERED'] })
  const holders = [
    ...(await records.machines({ kind: 'run' })).map(({ id, data }) => ({ slot: data.slot, run: id, story: null })),
    ...(await records.machines({ kind: 'story' })).map(({ run, story, data }) => ({ slot: data.slot, run, story })),
  ]
  const hosts = new Set([...signs.map(({ host }) => host), ...offered.map(({ data }) => data.host)])
  const workers = [...hosts].map((host): Shown => {
    const slots = offered.flatMap(({ data: { name, host: its } }) => {
      if (its !== host) return []
      const holder = holders.findLast(({ slot }) => slot === name)
      return [{ name, run: holder?.run ?? null, story: holder?.story ?? null }]
    })
    const alive = signs.filter((sign) => sign.host === host && !sign.isGivenUp).map(({ silentMs }) => silentMs)
    const silent_s = alive.length === 0 ? null : Math.round(Math.min(...alive) / 100) / 10
    return { name: shownHost(host) ?? 'hub', host, slots, silent_s }
  })
  // What has neither slots nor life is of the past.
  const shown = workers.filter(({ slots, silent_s }) => slots.length > 0 || silent_s !== null)
  return { workers: shown.toSorted((a, b) => (a.name < b.name ? -1 : 1)) }
}

/** The same for who asks once. */
export function workersOf(drydock: Drydock): Promise<WorkerList> {
  return reading(drydock, (records) => readWorkers({ ...drydock, records }))
}
