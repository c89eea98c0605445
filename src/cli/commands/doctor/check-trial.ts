import type { Installation } from '../../../app/installation.ts'
import { trialFacts } from '../../../app/text/trial-text.ts'
import type { Check } from './check.ts'

/**
 * Tries each model that was named on the command line, like the trial at its first use: one small
 * request, at most once a day. A model that does not answer is left to the check of its provider.
 */
export async function checkTrials(
  drydock: Pick<Installation, 'model'>,
  named: readonly string[],
): Promise<readonly Check[]> {
  const checks = await Promise.all(named.map((id) => checkTrial(drydock, id)))
  return checks.filter((check) => check !== null)
}

async function checkTrial(drydock: Pick<Installation, 'model'>, id: string): Promise<Check | null> {
  const { trial } = drydock.model(id)
  if (trial === undefined) return null
  const tried = await trial.run({ run: 'doctor', lane: 'doctor', turn: 0 }, new AbortController().signal)
  const check = { name: 'trial', ok: true, exit: 0 }
  switch (tried.type) {
    case 'no_tools': {
      const { message, todo } = tried.error
      const consequence = 'No agent can work with this model.'
      return { ...check, ok: false, found: message, ...(todo && { fix: todo }), consequence, exit: 2 }
    }
    case 'unanswered':
      return { ...check, found: `${id} could not be tried: ${tried.error.message}` }
    default:
      return { ...check, found: `${id} ${trialFacts(tried.found)}` }
  }
}
