import type { Event, EventOfType } from '../../domain/event.ts'
import { limits } from '../../domain/limits.ts'
import type { StoryEvent, StoryState } from '../../domain/story/story-machine.ts'
import { crewLine } from './crew-lines.ts'
import type { Milestone } from './milestone.ts'
import { runPause, takePause } from './paused-lanes.ts'
import { toneOf } from './state-tones.ts'
import { attemptOf, type Storyline } from './storyline.ts'

/**
 * Applies the next event and returns its line; null for an event that only the live line shows. For
 * stories that are built in parallel, each line names its story.
 */
export function advance(storyline: Storyline, event: Event): Milestone | null {
  storyline.since ??= Date.parse(event.at)
  if (event.type !== 'git_progress') storyline.git &&= ''
  if (event.type === 'run') storyline.kind = event.data.kind
  if (event.type === 'state' || event.type === 'result') takePause(storyline.paused, event)
  const milestone = lineOf(storyline, event)
  return milestone && isCrew(storyline) && event.story !== null ? { ...milestone, story: event.story } : milestone
}

function lineOf(storyline: Storyline, event: Event): Milestone | null {
  if (event.type === 'run_state') return runState(storyline, event)
  if (event.type === 'state') return storyState(storyline, event)
  return crewLine(storyline, event)
}

function isCrew({ kind }: Storyline): boolean {
  return kind === 'spec' || kind === 'interview'
}

/** The state to show in MONITORING for a Run without stories. */
const working: Readonly<Record<string, string>> = { verify: 'VERIFYING', scout: 'SCOUTING' }

function runState(storyline: Storyline, { data }: EventOfType<'run_state'>): Milestone | null {
  const { from: before, to, base, branch, by } = data
  storyline.state = (to === 'MONITORING' && working[storyline.kind ?? '']) || to
  // The next event tells the reason for ERROR.
  if (to === 'ERROR') return null
  // A task's budget is named by the event before it.
  if (by === 'user' || (by === 'budget' && isCrew(storyline))) return runPause(data)
  // Where it starts from is said once.
  const from =
    base !== undefined && before !== 'STORY_GENERATION'
      ? `from ${base.slice(0, 8)}${branch ? ` to ${branch}` : ''}`
      : null
  if (isCrew(storyline) || to === 'WAITING') {
    return { text: to, tone: toneOf(to), depth: 0, ...(from !== null && { detail: from }) }
  }
  return from !== null && to === 'MONITORING' ? { text: from, tone: 'faint', depth: 0 } : null
}

/** Events that reset the count of failed verifications. */
const fresh: readonly StoryEvent[] = ['retried', 'slice_passed', 'passed_to_review', 'passed_unchanged']

/**
 * True for an event that only assigns a workspace: the next state, or the first SETUP, shows it.
 */
const inPassing = (event: StoryEvent, from: StoryState) =>
  event === 'workspace_back' || (event === 'slot_assigned' && from === 'SETUP')

function storyState(storyline: Storyline, { story, data }: EventOfType<'state'>): Milestone | null {
  const { from, event, to } = data
  const before = storyline.stories.get(story ?? '')?.attempt ?? 1
  const failed = event === 'failed' || event === 'replan' || event === 'start_over'
  const attempt = fresh.includes(event) ? 1 : failed ? before + 1 : before
  storyline.stories.set(story ?? '', { state: to, attempt })
  storyline.last = ''
  if (!isCrew(storyline)) storyline.state = to
  // The previous event tells what the budget lacks.
  if (inPassing(event, from) || event === 'paused') return null
  const begins = failed || from === 'PLANNING' || from === 'PLAN_REVIEW'
  const detail =
    event === 'replan' || event === 'start_over'
      ? `${limits.failuresBeforeReplan} failures in a row: ${event === 'replan' ? 'planning again' : 'another conversation'}`
      : to === 'CODING' && begins
        ? attemptOf(attempt)
        : undefined
  return { text: to, tone: toneOf(to), depth: 0, ...(detail && { detail }) }
}
