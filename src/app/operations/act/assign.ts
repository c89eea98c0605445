import { actRoutes } from '../../../api/act-routes.ts'
import { operatorsOf } from '../../commands/hub/hub-tokens.ts'
import { usage } from '../../usage.ts'
import { peopleDoor } from '../doors.ts'
import { command, operation } from '../operation.ts'
import { openQuestion } from './reply.ts'

export const people = operation(actRoutes.people, {
  async run({ door }) {
    const { rows, now } = peopleDoor(door)
    return { operators: await operatorsOf(rows, now()) }
  },
})

/** Says whom a question is for; everybody may still answer it. */
export const assign = command(actRoutes.assign, {
  async run({ drydock, door, give }, { id, to }) {
    const { rows, now } = peopleDoor(door)
    const { run, id: message } = await openQuestion(drydock, id)
    const operators = await operatorsOf(rows, now())
    if (to !== null && !operators.includes(to))
      throw usage(`${to} cannot answer questions on this hub.`, `Name one of: ${operators.join(', ')}`)
    return give({ kind: 'assign', run, message, to })
  },
})
