import { workerRoutes } from '../../../api/workers.ts'
import { drainWorker as drain } from '../../commands/hub/drain-workers.ts'
import { hubDoor } from '../doors.ts'
import { operation } from '../operation.ts'

export const drainWorker = operation(workerRoutes.drainWorker, {
  async run({ drydock, door }, { worker }) {
    hubDoor(door)
    const { host } = await drain(drydock, worker)
    return { host }
  },
  audited: (_, { host }) => ({ what: 'worker_drained', worker: host }),
})
