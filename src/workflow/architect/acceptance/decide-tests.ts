import { decided, decisionProblem } from '../../../domain/acceptance/tests-decision.ts'
import type { Command } from '../../../domain/command.ts'
import { freshWork, type Story } from '../../../domain/story/story.ts'
import { acceptanceFacts } from '../../../gate/acceptance/acceptance-facts.ts'
import type { Transaction } from '../../../ports/store.ts'
import { answerOtherwise, goOn } from '../../chat/apply-reply.ts'
import type { DecisionDependencies } from '../../lane/dependencies.ts'
import { load, storyId } from '../../machines.ts'
import { advanceStory } from '../../story/advance-story.ts'
import { editAcceptance, moveAcceptance } from './move-acceptance.ts'
import { acceptanceOf, testsOf } from './story-tests.ts'

type Decide = Extract<Command, { kind: 'acceptance' }>

/**
 * Confirms, drops or replaces tests of a story for a person. Edited tests are tried on the base
 * again. A decision that comes too late changes nothing.
 */
export async function decideTests(tx: Transaction, deps: DecisionDependencies, decision: Decide): Promise<void> {
  const acceptance = await acceptanceOf(tx, decision)
  if (acceptance === null || decisionProblem(acceptance, decision) !== null) return
  await goOn(tx, deps, decision.run, async () => {
    const { criteria, tests } = decided(acceptance.data, await testsOf({ store: tx }, acceptance), decision)
    const digest = tests.criteria.length === 0 ? null : acceptanceFacts(tests).digest
    const data = { criteria, digest }
    if (decision.edit === undefined) await editAcceptance(tx, { acceptance, data, tests })
    else await moveAcceptance(tx, { acceptance, event: 'mended', data: { ...data, isMended: true }, tests }, deps)
    await judgeAnew(tx, deps, await load(tx, 'story', storyId(decision.run, decision.story)))
  })
}

/**
 * Verdicts by the earlier tests no longer count. If a human was asked about criteria, this decision
 * is the answer: the change is verified again.
 */
async function judgeAnew(tx: Transaction, deps: DecisionDependencies, story: Story): Promise<void> {
  const data = { earlierAttempts: story.data.attempts.length }
  if (story.state !== 'ESCALATED' || !story.data.unmet?.findings) {
    await tx.edit(story, data)
    return
  }
  await answerOtherwise(tx, story, 'The acceptance tests were changed or confirmed. The same change is verified again.')
  await advanceStory(tx, deps, story, { event: 'allowed', data: { ...data, unmet: freshWork.unmet } })
}
