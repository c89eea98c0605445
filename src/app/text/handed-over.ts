import type { HandedOver } from '../commands/hand-over.ts'

/** What became of what a person has said. */
export const handedOverWords: Readonly<Record<HandedOver, string>> = {
  applied: 'Handed over.',
  waiting: 'Recorded; the process that works here has not taken it up yet.',
  recorded: 'Recorded. Go on with: drydock resume',
}
