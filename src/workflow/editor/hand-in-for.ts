import { madeFor } from '../../agents/last-calls.ts'
import { submitChange } from '../../agents/tools/submit-change.ts'
import type { Lane } from '../../domain/lane/lane.ts'
import type { Message, ToolCall } from '../../domain/lane/message.ts'
import { hasOpenStep } from '../../domain/story/open-step.ts'
import type { Story } from '../../domain/story/story.ts'
import type { Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import type { Acts, Decision } from '../lane/decision.ts'
import { load, requireStory } from '../machines.ts'
import type { StoryDependencies } from '../story/dependencies.ts'
import { snapshotStory } from '../story/snapshot.ts'
import { isLossUnheard } from '../story/tell-moved.ts'

const summaryChars = 4_000

/**
 * Hands in the change of an editor that only talks, if the change has no verdict yet and the plan
 * is complete. Null otherwise.
 */
export async function handInFor(deps: StoryDependencies, lane: Lane, signal: AbortSignal): Promise<Decision | null> {
  if (lane.data.role !== 'editor_coding') return null
  const story = await requireStory(deps.store, lane)
  if (hasOpenStep(story.data, lane.data.todos) || isLossUnheard(lane, story)) return null
  const snapshot = await snapshotStory(deps, story, signal, { why: 'its editor only talked' })
  if (!snapshot.ok || (await isKnown(deps, story, snapshot.snapshot.tree))) return null
  const call: ToolCall = { id: `${madeFor}${lane.data.turn}`, tool: submitChange.name, input: changeOf(story) }
  return [{ type: 'hand_in_for', lane: lane.id, call }]
}

/** Makes the call on behalf of the lane, which then continues. */
export async function callFor(tx: Transaction, { lane, call }: Acts['hand_in_for']): Promise<void> {
  const told: readonly Message[] = [
    { role: 'user', text: 'You called no tool. Your change is handed in as it is.' },
    { role: 'assistant', text: '', calls: [call] },
  ]
  const data = { calls: [call], results: [], repeated: null, wordsOnly: 0, isCalledFor: true } as const
  const asked = await tx.move(await load(tx, 'lane', lane), 'continued', { data, next: 'rest' })
  await tx.move(asked, 'called', { next: 'queue' })
  await tx.appendMessages(lane, told)
}

/** The base and the last verified commit already have their verdicts. */
async function isKnown(
  { history }: Pick<WorkflowDependencies, 'history'>,
  { data }: Story,
  tree: string,
): Promise<boolean> {
  const trees = await Promise.all([data.base, data.attempts.at(-1)?.sha ?? data.base].map((sha) => history.tree(sha)))
  return trees.includes(tree)
}

function changeOf({ data: { plans, task } }: Story) {
  const plan = plans.at(-1)
  const summary = (plan?.behaviour_change ?? task.text).slice(0, summaryChars)
  return { summary, ...(plan?.hypothesis && { hypothesis: plan.hypothesis }) }
}
