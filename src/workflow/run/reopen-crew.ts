import type { Command } from '../../domain/command.ts'
import { landsTogether } from '../../domain/run/repositories.ts'
import { isEnded, type Run } from '../../domain/run/run.ts'
import { canGoOn } from '../../domain/story/can-go-on.ts'
import type { Story } from '../../domain/story/story.ts'
import type { Transaction } from '../../ports/store.ts'
import { answerOtherwise } from '../chat/apply-reply.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import type { DecisionDependencies } from '../lane/dependencies.ts'
import { storiesOf } from '../machines.ts'
import { advanceStory } from '../story/advance-story.ts'
import { retryMove } from '../story/guide-story.ts'
import { moveStory } from '../story/move-story.ts'
import { moveRun } from './move-run.ts'

/**
 * Continues the cancelled stories of a spec, each from its last snapshot; merged stories stay
 * merged. A single story also brings the stories that it depends on. The Run waits, and its next
 * step is MONITORING.
 */
export async function reopenCrew(
  tx: Transaction,
  deps: Pick<WorkflowDependencies, 'clock'>,
  run: Run,
  { story: name = null, guidance, models }: Omit<Extract<Command, { kind: 'retry' }>, 'kind' | 'run'>,
): Promise<void> {
  const stories = await storiesOf(tx, run.id)
  const wanted = name === null ? stories : withDependencies(stories, name)
  let reopened = 0
  for (const story of wanted) {
    if ((await moveStory(tx, deps.clock, story, retryMove(story, guidance))) !== null) reopened += 1
  }
  if (!isEnded(run.state) || (reopened === 0 && !waitsToLand(run, stories))) return
  const data = { stopped: false, error: null, rest: null, ...(models !== null && { models }) }
  await moveRun(tx, run, { event: 'queued_again', data, next: 'queue' })
}

/**
 * Continues the stories of a crew that an infrastructure failure ended during a verification or
 * merge, and answers the question about each.
 */
export async function retryVerifications(tx: Transaction, deps: DecisionDependencies, run: Run): Promise<void> {
  if (run.data.policy.slot === 'run' || isEnded(run.state)) return
  for (const story of (await storiesOf(tx, run.id)).filter(canGoOn)) {
    await answerOtherwise(tx, story, 'retry')
    await advanceStory(tx, deps, story, retryMove(story, null))
  }
}

/** True if all stories are built, but some repositories' branches are not moved yet. */
function waitsToLand(run: Run, stories: readonly Story[]): boolean {
  const isBuilt = stories.length > 0 && stories.every(({ state }) => state === 'DONE' || state === 'DROPPED')
  return run.state === 'CANCELLED' && landsTogether(run) && isBuilt
}

function withDependencies(stories: readonly Story[], name: string): readonly Story[] {
  const wanted = new Set([name])
  // The set grows during this loop.
  for (const id of wanted) {
    const planned = stories.find(({ story }) => story === id)?.data.planned
    for (const other of planned?.depends_on ?? []) wanted.add(other)
  }
  return stories.filter(({ story }) => wanted.has(story ?? ''))
}
