import type { WorkerSign } from '../../../ports/hub/worker-sign.ts'
import { connectionConfig, type PostgresPlace } from './connection-config.ts'
import { explained } from './postgres-error.ts'
import { createSession } from './session.ts'

/** Who works on the state, by host. Empty where nobody has shared it yet. */
export async function readWorkers(place: PostgresPlace): Promise<readonly WorkerSign[]> {
  const session = createSession({ config: connectionConfig(place), onConnect: async () => {} })
  try {
    await session.connected()
    const { rows } = await session.ask('select to_regclass($1) is not null as is_there', [`${place.schema}.workers`])
    if ((rows as readonly { is_there: boolean }[])[0]?.is_there !== true) return []
    const read = await session.ask(`select host, given_up as "isGivenUp",
      (extract(epoch from clock_timestamp() - seen) * 1000)::float8 as "silentMs" from workers order by host, seen desc`)
    return read.rows as readonly WorkerSign[]
  } catch (error) {
    throw explained(error, place.shown)
  } finally {
    await session.close()
  }
}
