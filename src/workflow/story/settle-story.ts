import { landsTogether } from '../../domain/run/repositories.ts'
import type { Run } from '../../domain/run/run.ts'
import { sentence } from '../../domain/sentence.ts'
import { boundsUsed, describeBounds } from '../../domain/story/bounds.ts'
import { hypothesesText } from '../../domain/story/hypotheses-text.ts'
import type { Story } from '../../domain/story/story.ts'
import { whyEnded, wordsAtEnd } from '../../domain/story/why-ended.ts'
import type { Transaction } from '../../ports/store.ts'
import { askHuman } from '../chat/ask-human.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { load, storiesOf } from '../machines.ts'
import { moveStory } from './move-story.ts'

/**
 * Updates the other stories of a Run after a story has moved: a story that depends on one that
 * cannot finish stops waiting, and the Run ends if nothing is left to build. No model is asked.
 */
export async function settleStory(
  tx: Transaction,
  deps: Pick<WorkflowDependencies, 'clock'>,
  moved: Story,
): Promise<void> {
  const run = await load(tx, 'run', moved.run)
  // The slot belongs to the Run, and ends with it.
  if (run.data.policy.slot === 'run' || run.state !== 'MONITORING') return
  if (hasFailed(moved) && moved.data.escalation === null) await askWhatToDo(tx, run, moved)
  await settleCrew(tx, deps, run.id)
}

/** Updates waiting stories and the Run in MONITORING by the states of all stories. */
export async function settleCrew(
  tx: Transaction,
  deps: Pick<WorkflowDependencies, 'clock'>,
  run: string,
): Promise<void> {
  await settleDependents(tx, deps, run)
  const stories = await storiesOf(tx, run)
  if (stories.every(({ state }) => state === 'DONE' || state === 'CANCELLED' || state === 'DROPPED'))
    await tx.queue(await load(tx, 'run', run))
}

function hasFailed({ state }: Story): boolean {
  return state === 'STUCK' || state === 'INFRA_ERROR' || state === 'REJECTED'
}

async function askWhatToDo(tx: Transaction, run: Run, story: Story): Promise<void> {
  const { stop, plans, attempts } = story.data
  const why = whyEnded(stop)
  const used = describeBounds(boundsUsed(story.data, run.data.config?.reviewRounds))
  const last = attempts.at(-1)
  const how =
    story.data.pending === null
      ? 'guidance may follow'
      : 'once the cause is mended; it goes on where it was, and starts again only if guidance follows'
  const escalation = await askHuman(tx, story, {
    agent: 'architect',
    question: `Story ${story.story} ended ${story.state}. Reply \`retry\` (${how}), \`skip\` (with all that depends on it${landsTogether(run) ? '; then nothing lands in any repository' : ''}) or \`stop\` (the whole Run).`,
    why: [sentence`Why: ${why}.`, ...wordsAtEnd(stop), `Hypotheses:\n${hypothesesText(story.data, why)}`].join('\n\n'),
    tried: [`${plans.length} plans, ${attempts.length} verifications`, used].filter(Boolean).join('; '),
    evidence: last?.why ? `${last.runId}: ${last.status}, ${last.why}` : '',
  })
  await tx.edit(story, { escalation })
}

/**
 * BLOCKED while a dependency is not DONE and cannot be, CANCELLED if one is skipped, QUEUED again
 * if all can be.
 */
async function settleDependents(
  tx: Transaction,
  { clock }: Pick<WorkflowDependencies, 'clock'>,
  run: string,
): Promise<void> {
  for (let changed = true; changed; ) {
    changed = false
    const stories = await storiesOf(tx, run)
    const states = new Map(stories.map((story) => [story.story, story]))
    for (const story of stories) {
      if (story.state !== 'QUEUED' && story.state !== 'BLOCKED') continue
      const needed = (story.data.planned?.depends_on ?? []).flatMap((id) => states.get(id) ?? [])
      const event = needed.some(({ state }) => state === 'CANCELLED')
        ? 'cancelled'
        : needed.some((other) => hasFailed(other) || other.state === 'BLOCKED')
          ? 'blocked'
          : 'unblocked'
      if ((await moveStory(tx, clock, story, { event })) !== null) changed = true
    }
  }
}
