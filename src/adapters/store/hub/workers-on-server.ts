import type { StateAddress } from '../../../domain/worker/shared-state.ts'
import type { WorkerSign } from '../../../ports/hub/worker-sign.ts'
import type { ConfiguredServer } from '../database.ts'

interface Place {
  readonly server: ConfiguredServer
  /** The address that the hub has sent. */
  readonly address: StateAddress
}

/** The workers of another machine's state. */
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
