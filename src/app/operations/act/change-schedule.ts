import { scheduleRoutes } from '../../../api/schedules.ts'
import { changeSchedule as change } from '../../commands/schedules.ts'
import { operation } from '../operation.ts'

export const changeSchedule = operation(scheduleRoutes.changeSchedule, {
  run: async ({ drydock }, { name, change: event }) => ({ run: name, handed: await change(drydock, name, event) }),
})
