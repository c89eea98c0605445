import { heldRoutes } from '../../../api/held.ts'
import { heldDoor } from '../doors.ts'
import type { HeldInput } from '../held-commands.ts'
import { type Acting, operation } from '../operation.ts'
import { accept } from './accept.ts'
import { cancel } from './cancel.ts'
import { land } from './land.ts'
import { reply } from './reply.ts'

/** Gives a command that ends work in some seconds, in which anybody can take it back. */
export const hold = operation(heldRoutes.hold, {
  run: async (acting, given) =>
    heldDoor(acting.door).hold(given, { by: acting.by, give: () => giveNow(acting, given) }),
})

export const undoHeld = operation(heldRoutes.undoHeld, {
  async run({ door }, { id }) {
    heldDoor(door).undo(id)
    return { id }
  },
})

function giveNow(acting: Acting, given: HeldInput): Promise<unknown> {
  switch (given.give) {
    case 'cancel':
      return cancel.run(acting, { run: given.run })
    case 'accept':
      return accept.run(acting, { run: given.run, ...given.accept })
    case 'land':
      return land.run(acting, { run: given.run, ...given.land })
    case 'reply':
      return reply.run(acting, { id: given.message, text: given.text })
    default:
      throw new Error(`unknown command ${given satisfies never}`)
  }
}
