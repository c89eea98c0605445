import { type AcceptanceData, acceptanceId } from '../../../domain/acceptance/acceptance.ts'
import { criteriaOf } from '../../../domain/acceptance/criteria.ts'
import { softAndHard } from '../../../domain/lane/next-request.ts'
import { followedBy, type Run } from '../../../domain/run/run.ts'
import { writesAcceptance } from '../../../domain/run/writes-acceptance.ts'
import type { Story } from '../../../domain/story/story.ts'
import { endStates } from '../../../domain/story/story-machine.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Transaction } from '../../../ports/store.ts'
import { laneId, openLane } from '../../lane/open-lane.ts'
import { testsPrompt } from '../prompts/acceptance.ts'
import { carryAcceptance } from './carry-acceptance.ts'
import { storyBrief } from './judged-story.ts'
import { appendAcceptance, moveAcceptance } from './move-acceptance.ts'
import { acceptanceOf, isAwaited } from './story-tests.ts'

/**
 * WRITING: starts writing the tests of a new story while its editor works, if the Run asks for such
 * tests.
 */
export async function beginAcceptance(tx: Transaction, run: Run, story: Story): Promise<void> {
  const { config } = run.data
  const { base, task, name, dryRun } = story.data
  const followed = followedBy(run)
  if (followed !== null) return carryAcceptance(tx, story, followed.run)
  if (config === null || dryRun || !writesAcceptance(run)) return
  const { acceptance_criteria: texts = [] } = task
  // A task of one sentence is its own criterion.
  const criteria = criteriaOf(texts.length > 0 ? texts : [task.text])
  const id = acceptanceId(run.id, story.story ?? '')
  const key = `architect/ACCEPTANCE/${name}`
  const fresh: AcceptanceData = {
    base,
    lane: laneId(run.id, key),
    reader: null,
    returns: 0,
    criteria,
    interface: [],
    digest: null,
  }
  const before = await acceptanceOf(tx, story)
  const acceptance =
    before === null
      ? await tx.create({ id, kind: 'acceptance', run: run.id, story: story.story, data: fresh }, 'rest')
      : await tx.move(before, 'reopened', { data: fresh, next: 'rest' })
  await openLane(tx, {
    run: run.id,
    story: story.story,
    key,
    parent: id,
    role: 'architect_tests',
    limits: softAndHard(config.request),
    prompt: () => testsPrompt({ brief: storyBrief(run, story), criteria }),
  })
  await appendAcceptance(tx, acceptance)
}

/** Unfinished tests end with their story, and start again when the story is retried. */
export async function followAcceptance(
  tx: Transaction,
  clock: Clock,
  { run, story }: { readonly run: Run; readonly story: Story },
): Promise<void> {
  const isOver = endStates.includes(story.state)
  const acceptance = isOver || story.state === 'QUEUED' ? await acceptanceOf(tx, story) : null
  if (acceptance === null) return
  if (isOver && isAwaited(acceptance)) {
    await moveAcceptance(tx, { acceptance, event: 'cancelled' }, { clock })
  } else if (!isOver && acceptance.state === 'CANCELLED') {
    await beginAcceptance(tx, run, story)
  }
}
