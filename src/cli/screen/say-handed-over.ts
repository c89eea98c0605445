import type { HandedOver } from '../../app/operations/hand-over.ts'
import { handedOverWords } from '../../app/text/handed-over.ts'
import type { Context } from '../context.ts'

/** Prints the fate of a person's message. */
export function sayHandedOver({ output }: Context, handed: HandedOver): void {
  output.say(handedOverWords[handed])
}
