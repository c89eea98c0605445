import { randomUUID } from 'node:crypto'
import { decisionProblem, type TestsDecision } from '../../domain/acceptance/tests-decision.ts'
import type { Command } from '../../domain/command.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { isEnded } from '../../domain/run/run.ts'
import type { Records } from '../../ports/store.ts'
import { acceptanceOf } from '../../workflow/architect/acceptance/story-tests.ts'
import type { Drydock } from '../drydock.ts'
import { reading } from '../reading.ts'
import { usage } from '../usage.ts'
import { findWork, type Work } from '../views/find/find-work.ts'
import { authorOf } from './author-of.ts'
import { type HandedOver, handOver } from './hand-over.ts'

interface Deciding extends TestsDecision {
  /** Name of the person. */
  readonly author: string
}

/** A person at this machine decides about the tests of what an id names. DrydockError as below. */
export async function decideTests(
  drydock: Drydock,
  id: string | undefined,
  decision: TestsDecision,
): Promise<{ readonly run: string; readonly story: string; readonly handed: HandedOver }> {
  const author = await authorOf(drydock, null)
  const command = await reading(drydock, async (records) =>
    decideCommand(records, await findWork(records, id), { ...decision, author }),
  )
  const { run, story } = command
  return { run, story, handed: await handOver(drydock, `acceptance/${randomUUID()}`, command) }
}

/**
 * The command by which a person confirms, drops or edits tests of a story. DrydockError `bad_usage`
 * for what cannot be decided, `already_done` where the Run or the story has ended.
 */
export async function decideCommand(
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
  return new DrydockError('already_done', message, { todo: 'See its report.' })
}
