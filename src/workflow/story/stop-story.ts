import type { LaneRequest } from '../../agents/lane.ts'
import type { Lane } from '../../domain/lane/lane.ts'
import { lastWordsOf } from '../../domain/lane/last-words.ts'
import { turnsUsed } from '../../domain/lane/stop-cause.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Story, StoryData } from '../../domain/story/story.ts'
import { budgetRequest } from '../architect/request-prompts.ts'
import { prepareStuck } from '../editor/milestone.ts'
import type { Decision } from '../lane/decision.ts'
import { requireStory } from '../machines.ts'
import type { StoryDependencies } from './dependencies.ts'
import { snapshotStory } from './snapshot.ts'

interface Stopping {
  readonly run: Run
  readonly story: Story
  readonly stop: NonNullable<StoryData['stop']>
}

/** Ends a story without DONE, with its stuck report. */
export async function stopStory(
  deps: StoryDependencies,
  { run, story, stop }: Stopping,
  signal: AbortSignal,
): Promise<Decision> {
  const { data, file } = await prepareStuck(deps, { run, story, data: { stop }, tail: null }, signal)
  const event = 'infra' in stop ? 'infra_error' : 'lane_stopped'
  return [
    { type: 'keep_file', file },
    { type: 'advance_story', story, move: { event, data } },
  ]
}

interface StoppedEditor {
  readonly run: Run
  readonly lane: Lane
  readonly request: Extract<LaneRequest, { type: 'stopped' }>
}

/**
 * Handles a stopped editor: a reviewer judges by the figures; without a reviewer the story is
 * STUCK.
 */
export async function stopEditor(
  deps: StoryDependencies,
  { run, lane, request: { stop, cause, last } }: StoppedEditor,
  signal: AbortSignal,
): Promise<Decision> {
  const story = await requireStory(deps.store, lane)
  const turns = turnsUsed(lane.data)
  const words = lastWordsOf(await deps.store.messages(lane.id))
  if (run.data.policy.reviewer === null) {
    const told = `${cause} (${turns} turns used)`
    return stopStory(deps, { run, story, stop: { reason: stop, cause: told, last, words } }, signal)
  }
  // The slot of a waiting story may go to another story.
  const snapshot = await snapshotStory(deps, story, signal, { why: 'its editor was stopped', setAside: true })
  const data = { ...story.data, ...(snapshot.ok && snapshot.data) }
  // Files that git refused were moved out, so the story continues from its last snapshot. Only the
  // Run itself gives back a slot of its own.
  const left = snapshot.ok || run.data.policy.slot === 'run' ? data : { ...data, slot: null }
  const spent = { lane: lane.data.key, turns, cause, last }
  const request = await budgetRequest(deps, { run, story: { ...story, data }, spent })
  return [{ type: 'advance_story', story, move: { event: 'budget_spent', data: left, request } }]
}
