import type { Event } from '../domain/event.ts'
import type { JsonObject } from '../domain/json.ts'
import { limits } from '../domain/limits.ts'
import { storyStates } from '../domain/story-machine.ts'
import { replyLine } from './open-escalations.ts'
import type { Tone } from './screen.ts'
import { advanceWork, attemptOf, formatTokens, type Milestone, type Storyline } from './storyline.ts'

/** The same as for a task, for a Run whose stories are built side by side: each line says which story it is about. */
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
    case 'merge':
      return merge(data)
    case 'chat':
      return { text: 'chat', detail: `${data.agent_id}, message ${data.id}`, tone: 'plain', depth: 1 }
    case 'escalation': {
      const id = String(data.id)
      storyline.questions.add(id)
      const more = `${data.question}\n\n${replyLine(id)}`
      return { text: 'ASKS YOU', detail: `message ${id}`, tone: 'bad', depth: 0, more }
    }
    case 'escalation_answered':
      storyline.questions.delete(String(data.id))
      return { text: 'answered', detail: `message ${data.id}`, tone: 'good', depth: 1 }
    default:
      return advanceWork(storyline, event)
  }
}

const tones: Readonly<Record<string, Tone>> = {
  ...{ DONE: 'good', STUCK: 'bad', INFRA_ERROR: 'bad', REJECTED: 'bad', CANCELLED: 'bad', ESCALATED: 'bad' },
  ...{ BLOCKED: 'bad', APPROVED: 'good', NEEDS_CHANGES: 'strong' },
}

function toneOf(word: unknown): Tone {
  return tones[String(word)] ?? 'strong'
}

function runState(storyline: Storyline, { to, base, branch }: JsonObject): Milestone {
  storyline.state = String(to)
  const from = typeof base === 'string' ? `from ${base.slice(0, 8)}${branch ? ` to ${branch}` : ''}` : null
  return { text: String(to), tone: toneOf(to), depth: 0, ...(from !== null && { detail: from }) }
}

function stories(storyline: Storyline, { count, ids }: JsonObject): Milestone {
  const names = Array.isArray(ids) ? ids.map(String) : []
  for (const id of names) storyline.stories.set(id, { state: 'QUEUED', attempt: 1 })
  const text = count === 1 ? '1 story' : `${count} stories`
  return { text, detail: names.join(', '), tone: 'strong', depth: 0 }
}

/** What sets the count of failed verifications back. */
const fresh = ['retried', 'slice_passed', 'passed_to_review', 'passed_unchanged']

function storyState(storyline: Storyline, { story, data }: Event): Milestone {
  const { from, event, to } = data
  const before = storyline.stories.get(story ?? '')?.attempt ?? 1
  const failed = event === 'failed' || event === 'replan'
  const attempt = fresh.includes(String(event)) ? 1 : failed ? before + 1 : before
  storyline.stories.set(story ?? '', { state: String(to), attempt })
  const begins = failed || from === 'PLANNING' || from === 'PLAN_REVIEW'
  const detail =
    event === 'replan'
      ? `${limits.failuresBeforeReplan} failures in a row: planning anew`
      : to === 'CODING' && begins
        ? attemptOf(attempt)
        : undefined
  return { text: String(to), tone: toneOf(to), depth: 0, ...(detail && { detail }) }
}

/** Of those requests that are no reviews, which speak for themselves. */
function answered({ kind, verdict }: JsonObject): Milestone | null {
  if (kind === 'question') return { text: 'question answered', tone: 'plain', depth: 1 }
  if (kind !== 'budget') return null
  return { text: String(verdict ?? 'answered'), detail: 'budget review', tone: toneOf(verdict), depth: 1 }
}

function review({ kind, round, verdict, open }: JsonObject): Milestone {
  const findings = open === 0 ? '' : `, ${open === 1 ? '1 finding' : `${open} findings`} open`
  return { text: String(verdict), detail: `${kind} review ${round}${findings}`, tone: toneOf(verdict), depth: 1 }
}

function merge({ state, sha }: JsonObject): Milestone | null {
  if (state === 'RETURNED') return { text: 'merge returned', tone: 'bad', depth: 1 }
  if (state !== 'MERGED') return null
  return { text: 'merged', detail: String(sha).slice(0, 12), tone: 'good', depth: 1 }
}

/** How many stories are where, what waits for a human, and tokens; for one line. */
export function crewInShort({ state, stories: known, questions, tokens }: Storyline): readonly string[] {
  const states = [...known.values()].map((story) => story.state)
  const count = (name: string) => states.filter((each) => each === name).length
  const busy = storyStates.filter((name) => name !== 'DONE' && count(name) > 0)
  return [
    known.size === 0 ? state : `${count('DONE')}/${known.size} DONE`,
    ...(questions.size === 0
      ? []
      : [questions.size === 1 ? '1 question for you' : `${questions.size} questions for you`]),
    ...busy.map((name) => `${count(name)} ${name}`),
    `${formatTokens(tokens)} tokens`,
  ]
}
