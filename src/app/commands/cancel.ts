import type { Command } from '../../domain/command.ts'
import { possibleWith } from '../possible.ts'
import { usage } from '../usage.ts'
import { namedStory, type Work } from '../views/find/find-work.ts'

/**
 * The command that cancels a Run; null when nothing is left to cancel. Throws DrydockError
 * `bad_usage` for one story of a crew.
 */
export function cancelCommand({ run, story }: Work): Extract<Command, { kind: 'cancel' }> | null {
  if (namedStory({ story }) !== null) {
    throw usage('You cannot cancel a single story of a run.', `Cancel the whole run: drydock cancel ${run.id}`)
  }
  return possibleWith(run).cancel ? { kind: 'cancel', run: run.id } : null
}
