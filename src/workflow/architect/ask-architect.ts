import { storyBounds } from '../../domain/story/bounds.ts'
import type { Story, StoryData } from '../../domain/story/story.ts'
import { quote } from '../../domain/text.ts'
import type { Decision, LaneCall } from '../lane/decision.ts'
import { requireStory } from '../machines.ts'
import type { StoryDependencies } from '../story/dependencies.ts'
import { snapshotStory } from '../story/snapshot.ts'
import { questionRequest } from './request-prompts.ts'

/**
 * QUESTION: the editor's lane waits for the answer of the architect, who sees the workspace as it
 * is now.
 */
export async function askArchitect(
  deps: StoryDependencies,
  { run, lane, input }: LaneCall<'ask_architect'>,
  signal: AbortSignal,
): Promise<Decision> {
  const { question } = input
  const story = await requireStory(deps.store, lane)
  const snapshot = await snapshotStory(deps, story, signal, { why: 'a question to the architect' })
  if (!snapshot.ok) {
    // While the story waits, its slot may go to another story, so every file must be in a snapshot.
    const output = `Your workspace cannot be shown to the architect: ${snapshot.reason}`
    return [{ type: 'answer_lane', answer: { lane: lane.id, output, ok: false } }]
  }
  const data = { ...story.data, ...snapshot.data, questions: story.data.questions + 1 }
  if (data.questions > storyBounds.questions.most) return askHumanInstead({ story, data, question })
  const request = await questionRequest(deps, { run, story: { ...story, data }, question })
  return [{ type: 'advance_story', story, move: { event: 'asked', data, request } }]
}

interface Asking {
  readonly story: Story
  readonly data: StoryData
  readonly question: string
}

/**
 * After the last question to the architect a human answers, and the questions count from 0 again.
 */
function askHumanInstead({ story, data, question }: Asking): Decision {
  const { most } = storyBounds.questions
  const asked = {
    question: `The editor of ${story.story} has asked the architect ${most} questions. How should it continue? Your reply is the answer to its next one.`,
    tried: `${data.plans.length} plans, ${data.attempts.length} verifications`,
    evidence: `The question of the editor:\n${quote(question)}`,
  }
  const move = { event: 'escalated', data: { ...data, questions: 0 }, question: asked } as const
  return [{ type: 'advance_story', story, move }]
}
