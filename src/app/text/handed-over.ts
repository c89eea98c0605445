import type { HandedOver } from '../operations/hand-over.ts'

/** The words for the fate of a person's command, by fate. */
export const handedOverWords: Readonly<Record<HandedOver, string>> = {
  applied: 'Handed over.',
  waiting: 'Recorded. The process that works here has not applied it yet.',
  recorded: 'Recorded. Continue with: drydock resume',
}
