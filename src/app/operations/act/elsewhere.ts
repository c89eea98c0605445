import { actRoutes } from '../../../api/act-routes.ts'
import { elsewhereDoor } from '../doors.ts'
import { operation } from '../operation.ts'

export const openRepository = operation(actRoutes.openRepository, {
  run: ({ door }, { id }) => elsewhereDoor(door).open(id),
})

export const replyElsewhere = operation(actRoutes.replyElsewhere, {
  run: ({ door }, { id, message, text }) => elsewhereDoor(door).reply(id, { message, text }),
})

export const startDemo = operation(actRoutes.startDemo, {
  run: ({ door }) => elsewhereDoor(door).demo(),
})
