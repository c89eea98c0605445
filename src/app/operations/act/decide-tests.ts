import { actRoutes } from '../../../api/act-routes.ts'
import { decisionProblem, type TestsDecision } from '../../../domain/acceptance/tests-decision.ts'
import type { Command } from '../../../domain/command.ts'
import type { DrydockError } from '../../../domain/drydock-error.ts'
import { isEnded } from '../../../domain/run/run.ts'
import type { Records } from '../../../ports/store.ts'
import { acceptanceOf } from '../../../workflow/architect/acceptance/story-tests.ts'
import { authorOf } from '../../commands/author-of.ts'
import { reading } from '../../reading.ts'
import { usage } from '../../usage.ts'
import type { Work } from '../../views/find/find-work.ts'
import { find } from '../find.ts'
import { command } from '../operation.ts'
import { done } from '../refusals.ts'

interface Deciding extends TestsDecision {
  /** Name of the person. */
  readonly author: string
}

export const decideTests = command(actRoutes.decideTests, {
  async run({ drydock, by, give }, { run, story, ...decision }) {
    const work = await find(drydock, `${run}/${story}`)
    const author = await authorOf(drydock, by)
    return give(await reading(drydock, (records) => decideCommand(records, work, { ...decision, author })))
  },
})

/**
 * The command by which a person confirms, drops or edits tests of a story. DrydockError `bad_usage`
 * for what cannot be decided, `already_done` where the Run or the story has ended.
 */
async function decideCommand(
  records: Records,
  { run, story }: Work,
  decision: Deciding,
): Promise<Extract<Command, { kind: 'acceptance' }>> {
  if (isEnded(run.state)) throw ended(run.id, run.state)
  if (story === null)
    throw usage(`${run.id} has several stories, or none yet.`, `Name one: drydock acceptance ${run.id}/<story>`)
  if (story.state === 'DONE') throw ended(story.id, story.state)
  const acceptance = await acceptanceOf(records, story)
  const problem = acceptance === null ? 'No architect writes tests for it.' : decisionProblem(acceptance, decision)
  if (problem !== null) throw usage(`${story.id}: ${problem}`, `See its tests: drydock acceptance ${story.id}`)
  return { kind: 'acceptance', run: run.id, story: story.story ?? '', ...decision }
}

function ended(id: string, state: string): DrydockError {
  const message = `${id} has ended: ${state}. Its tests decide about nothing any more.`
  return done(message, 'See its report: drydock report')
}
