import type { WorkerList } from '../../api/workers.ts'
import { drainAll, drainWorker, isAnyAlive } from '../commands/hub/drain-workers.ts'
import type { Drydock } from '../drydock.ts'
import type { Acts } from '../operations/operations.ts'
import type { HubAccess } from '../state-access.ts'
import { workersOf } from '../views/hub/workers.ts'

/** Workers that were asked to drain. */
export interface Draining {
  readonly hosts: readonly string[]
  readonly isAnyAlive: () => Promise<boolean>
}

/** Token and worker operations on the local state, or on a hub with an admin's token. */
export interface HubActs extends Pick<Acts, 'tokens' | 'addToken' | 'revokeToken'> {
  readonly workers: () => Promise<WorkerList>
  /**
   * Drains the named worker, or all workers without a name. Throws DrydockError `not_found`,
   * `bad_usage`.
   */
  readonly drain: (name: string | undefined) => Promise<Draining>
}

export async function withHubActs<T>(drydock: Drydock, use: (acts: HubActs) => Promise<T>): Promise<T> {
  if (drydock.atHub !== null) return use(actsAt(drydock.atHub))
  await drydock.ensureState()
  const rows = await drydock.openHubRows()
  try {
    const { actsFor } = await import('../operations/operations.ts')
    const door = { hub: { rows, now: drydock.clock.now }, elsewhere: null, held: null }
    const here = { drydock, options: {}, receipts: drydock.openReceipts, door }
    return await use({
      ...actsFor(here, { by: null, role: 'admin', key: null }),
      workers: () => workersOf(drydock),
      async drain(name) {
        const drained = name === undefined ? await drainAll(drydock) : [await drainWorker(drydock, name)]
        return { hosts: drained.map(({ host }) => host), isAnyAlive: () => isAnyAlive(drydock, drained) }
      },
    })
  } finally {
    await rows.close()
  }
}

function actsAt(hub: HubAccess): HubActs {
  const operations = hub.operations()
  const workers = () => operations.workers({})
  const alive = async () =>
    (await workers()).workers.filter(({ name, state }) => name !== 'hub' && state !== 'lost' && state !== 'ended')
  return {
    ...operations,
    workers,
    async drain(name) {
      const before = await alive()
      const names = name === undefined ? before.map((worker) => worker.name) : [name]
      const hosts: string[] = []
      for (const each of names) hosts.push((await operations.drainWorker({ worker: each })).host)
      const asked = new Set(
        before.filter(({ host }) => hosts.includes(host)).map(({ host, since }) => `${host} ${since}`),
      )
      // Compares start times as well, since a later process of a host was not asked.
      const isAnyAliveNow = async () => (await alive()).some(({ host, since }) => asked.has(`${host} ${since}`))
      return { hosts, isAnyAlive: isAnyAliveNow }
    },
  }
}
