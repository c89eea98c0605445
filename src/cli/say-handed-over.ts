import type { Context } from './context.ts'
import type { HandedOver } from './hand-over.ts'

/** What became of what a person has said. */
export function sayHandedOver({ output }: Context, handed: HandedOver): void {
  output.say(handedOverWords[handed])
}

export const handedOverWords: Readonly<Record<HandedOver, string>> = {
  applied: 'Handed over.',
  waiting: 'Recorded. The process that works here has not applied it yet.',
  recorded: 'Recorded. Continue with: drydock resume',
}
