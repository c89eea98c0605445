import type { StateAddress } from '../../../domain/worker/shared-state.ts'
import type { WorkerSign } from '../../../ports/hub/worker-sign.ts'
import type { ConfiguredServer } from '../database.ts'

interface Place {
  readonly server: ConfiguredServer
  /** As the hub says. */
  readonly address: StateAddress
}

/** The workers of a state that is another machine's. */
export function workersOnServer({ server, address: { schema } }: Place): {
  workersNow(): Promise<readonly WorkerSign[]>
  drainWorkers(host: string): Promise<readonly string[]>
} {
  const load = () => import('../postgres/read-workers.ts')
  return {
    workersNow: async () => (await load()).readWorkers({ ...server, schema }),
    drainWorkers: async (host) => (await load()).drainWorkers({ ...server, schema }, host),
  }
}
