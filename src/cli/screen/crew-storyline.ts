import type { Event, EventData, EventOfType } from '../../domain/event.ts'
import { limits } from '../../domain/limits.ts'
import { type StoryEvent, type StoryState, storyStates } from '../../domain/story/story-machine.ts'
import { replyLine } from '../open-escalations.ts'
import { formatTokens } from './format-tokens.ts'
import type { Milestone } from './milestone.ts'
import { pausedByHand, pausedInShort } from './paused-lanes.ts'
import type { Tone } from './screen.ts'
import { advanceWork, attemptOf, costInShort, type Storyline } from './storyline.ts'

/**
 * The same as for a task, for a Run whose stories are built side by side: each line says which
 * story it is about.
 */
export function advanceCrew(storyline: Storyline, event: Event): Milestone | null {
  const milestone = take(storyline, event)
  return milestone && event.story !== null ? { ...milestone, story: event.story } : milestone
}

function take(storyline: Storyline, event: Event): Milestone | null {
  const { type, data } = event
  switch (type) {
    case 'run_state':
      // Why it is in ERROR says the event that follows.
      return data.to === 'ERROR' ? null : runState(storyline, data)
    case 'stories':
      return stories(storyline, data)
    case 'state':
      return storyState(storyline, event)
    case 'request':
      return data.state === 'ANSWERED' ? answered(data) : null
    case 'review':
      return review(data)
    case 'fewer_coders':
      return {
        text: `${data.allowed} editors at once`,
        detail: `${data.source} asks for ${data.asked}; your own max_coders, or --max-coders, allows more`,
        tone: 'strong',
        depth: 0,
      }
    case 'accepted':
      return { text: 'accepted by you', detail: data.findings.join(', '), tone: 'good', depth: 1 }
    case 'merge':
      return merge(data)
    case 'chat':
      // The answer to a question is told by the event that follows.
      if (data.reply_to !== undefined && storyline.questions.has(data.reply_to)) return null
      return { text: 'chat', detail: `${data.agent_id}, message ${data.id}`, tone: 'plain', depth: 1 }
    case 'escalation':
      return question(storyline, data)
    case 'escalation_answered':
      storyline.questions.delete(data.id)
      return { text: 'answered', detail: `message ${data.id}`, tone: 'good', depth: 1, more: data.answer }
    default:
      return advanceWork(storyline, event)
  }
}

const tones: Readonly<Record<string, Tone>> = {
  ...{ DONE: 'good', STUCK: 'bad', INFRA_ERROR: 'bad', REJECTED: 'bad', CANCELLED: 'bad', ESCALATED: 'bad' },
  ...{ BLOCKED: 'bad', APPROVED: 'good', NEEDS_CHANGES: 'strong' },
}

function toneOf(word: string | null | undefined): Tone {
  return tones[word ?? ''] ?? 'strong'
}

function question(storyline: Storyline, { id, question: asked, evidence }: EventData['escalation']): Milestone {
  storyline.questions.add(id)
  const more = [asked, evidence, replyLine(id)].filter(Boolean).join('\n\n')
  return { text: 'ASKS YOU', detail: `message ${id}`, tone: 'bad', depth: 0, more }
}

function runState(storyline: Storyline, { from: before, to, base, branch, by }: EventData['run_state']): Milestone {
  storyline.state = to
  if (by === 'user') return pausedByHand
  // Where it starts from is said once.
  const from =
    base !== undefined && before !== 'STORY_GENERATION'
      ? `from ${base.slice(0, 8)}${branch ? ` to ${branch}` : ''}`
      : null
  return { text: to, tone: toneOf(to), depth: 0, ...(from !== null && { detail: from }) }
}

function stories(storyline: Storyline, { count, ids }: EventData['stories']): Milestone {
  for (const id of ids) storyline.stories.set(id, { state: 'QUEUED', attempt: 1 })
  const text = count === 1 ? '1 story' : `${count} stories`
  return { text, detail: ids.join(', '), tone: 'strong', depth: 0 }
}

/** What sets the count of failed verifications back. */
const fresh: readonly StoryEvent[] = ['retried', 'slice_passed', 'passed_to_review', 'passed_unchanged']

/**
 * Its workspace is there: what it was waited for with is told by the state that follows at once,
 * and by the first SETUP.
 */
const inPassing = (event: StoryEvent, from: StoryState) =>
  event === 'workspace_back' || (event === 'slot_assigned' && from === 'SETUP')

function storyState(storyline: Storyline, { story, data }: EventOfType<'state'>): Milestone | null {
  const { from, event, to } = data
  const before = storyline.stories.get(story ?? '')?.attempt ?? 1
  const failed = event === 'failed' || event === 'replan'
  const attempt = fresh.includes(event) ? 1 : failed ? before + 1 : before
  storyline.stories.set(story ?? '', { state: to, attempt })
  // What the budget lacks is told by the event before it.
  if (inPassing(event, from) || event === 'paused') return null
  const begins = failed || from === 'PLANNING' || from === 'PLAN_REVIEW'
  const detail =
    event === 'replan'
      ? `${limits.failuresBeforeReplan} failures in a row: planning anew`
      : to === 'CODING' && begins
        ? attemptOf(attempt)
        : undefined
  return { text: to, tone: toneOf(to), depth: 0, ...(detail && { detail }) }
}

/** Of those requests that are no reviews, which speak for themselves. */
function answered({ kind, verdict }: EventData['request']): Milestone | null {
  if (kind === 'question') return { text: 'question answered', tone: 'plain', depth: 1 }
  if (kind !== 'budget') return null
  return { text: verdict ?? 'answered', detail: 'budget review', tone: toneOf(verdict), depth: 1 }
}

function review({ kind, round, verdict, open, findings }: EventData['review']): Milestone {
  const left = open === 0 ? '' : `, ${open === 1 ? '1 finding' : `${open} findings`} open`
  return {
    text: verdict ?? 'answered',
    detail: `${kind} review ${round}${left}`,
    tone: toneOf(verdict),
    depth: 1,
    notes: findings.map(findingLine),
  }
}

function findingLine({ id, severity, file, line, claim }: EventData['review']['findings'][number]): string {
  const place = `${file}${line === null ? '' : `:${line}`}`
  return `${id} ${severity}${place === '' ? '' : ` ${place}`}: ${claim}`
}

function merge({ state, sha = '', conflicts = [], findings }: EventData['merge']): Milestone | null {
  if (state === 'RETURNED') {
    const detail =
      conflicts.length > 0
        ? `conflict in ${conflicts.join(', ')}`
        : findings === undefined
          ? 'what is merged fails verification'
          : 'what is merged touches the gate'
    return { text: 'merge returned', detail, tone: 'bad', depth: 1 }
  }
  if (state !== 'MERGED') return null
  return { text: 'merged', detail: sha.slice(0, 12), tone: 'good', depth: 1 }
}

/** How many stories are where, what waits for a human, and tokens; for one line. */
export function crewInShort(storyline: Storyline): readonly string[] {
  const { state, stories: known, questions, paused, tokens } = storyline
  const states = [...known.values()].map((story) => story.state)
  const count = (name: string) => states.filter((each) => each === name).length
  const busy = storyStates.filter((name) => name !== 'DONE' && count(name) > 0)
  return [
    pausedInShort(paused, new Date()) ?? '',
    known.size === 0 ? state : `${count('DONE')}/${known.size} DONE`,
    ...(questions.size === 0
      ? []
      : [questions.size === 1 ? '1 question for you' : `${questions.size} questions for you`]),
    ...busy.map((name) => `${count(name)} ${name}`),
    `${formatTokens(tokens)} tokens`,
    costInShort(storyline),
  ]
}
