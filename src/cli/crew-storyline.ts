import type { Event } from '../domain/event.ts'
import type { JsonObject } from '../domain/json.ts'
import { limits } from '../domain/limits.ts'
import { storyStates } from '../domain/story-machine.ts'
import { formatTokens } from './format-tokens.ts'
import type { Milestone } from './milestone.ts'
import { replyLine } from './open-escalations.ts'
import { pausedByHand, pausedInShort } from './paused-lanes.ts'
import type { Tone } from './screen.ts'
import { advanceWork, attemptOf, costInShort, type Storyline } from './storyline.ts'

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
    case 'fewer_coders':
      return {
        text: `${data.allowed} editors at once`,
        detail: `${data.source} asks for ${data.asked}; your own max_coders, or --max-coders, allows more`,
        tone: 'strong',
        depth: 0,
      }
    case 'accepted':
      return { text: 'accepted by you', detail: [data.findings].flat().join(', '), tone: 'good', depth: 1 }
    case 'merge':
      return merge(data)
    case 'chat':
      // The answer to a question is told by the event that follows.
      if (storyline.questions.has(String(data.reply_to))) return null
      return { text: 'chat', detail: `${data.agent_id}, message ${data.id}`, tone: 'plain', depth: 1 }
    case 'escalation':
      return question(storyline, data)
    case 'escalation_answered':
      storyline.questions.delete(String(data.id))
      return { text: 'answered', detail: `message ${data.id}`, tone: 'good', depth: 1, more: String(data.answer) }
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

function question(storyline: Storyline, { id, question: asked, evidence }: JsonObject): Milestone {
  storyline.questions.add(String(id))
  const more = [asked, evidence, replyLine(String(id))].filter(Boolean).join('\n\n')
  return { text: 'ASKS YOU', detail: `message ${id}`, tone: 'bad', depth: 0, more }
}

function runState(storyline: Storyline, { from: before, to, base, branch, by }: JsonObject): Milestone {
  storyline.state = String(to)
  if (by === 'user') return pausedByHand
  // Where it starts from is said once.
  const from =
    typeof base === 'string' && before !== 'STORY_GENERATION'
      ? `from ${base.slice(0, 8)}${branch ? ` to ${branch}` : ''}`
      : null
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

/** Its workspace is there: what it was waited for with is told by the state that follows at once, and by the first SETUP. */
const inPassing = (event: unknown, from: unknown) =>
  event === 'workspace_back' || (event === 'slot_assigned' && from === 'SETUP')

function storyState(storyline: Storyline, { story, data }: Event): Milestone | null {
  const { from, event, to } = data
  const before = storyline.stories.get(story ?? '')?.attempt ?? 1
  const failed = event === 'failed' || event === 'replan'
  const attempt = fresh.includes(String(event)) ? 1 : failed ? before + 1 : before
  storyline.stories.set(story ?? '', { state: String(to), attempt })
  // What the budget lacks is told by the event before it.
  if (inPassing(event, from) || event === 'paused') return null
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

function review({ kind, round, verdict, open, findings }: JsonObject): Milestone {
  const left = open === 0 ? '' : `, ${open === 1 ? '1 finding' : `${open} findings`} open`
  return {
    text: String(verdict),
    detail: `${kind} review ${round}${left}`,
    tone: toneOf(verdict),
    depth: 1,
    notes: Array.isArray(findings) ? findings.map(findingLine) : [],
  }
}

function findingLine({ id, severity, file, line, claim }: JsonObject): string {
  const place = `${file}${line === null ? '' : `:${line}`}`
  return `${id} ${severity}${place === '' ? '' : ` ${place}`}: ${claim}`
}

function merge({ state, sha, conflicts, findings }: JsonObject): Milestone | null {
  if (state === 'RETURNED') {
    const inConflict = Array.isArray(conflicts) && conflicts.length > 0
    const detail = inConflict
      ? `conflict in ${conflicts.join(', ')}`
      : findings === undefined
        ? 'what is merged fails verification'
        : 'what is merged touches the gate'
    return { text: 'merge returned', detail, tone: 'bad', depth: 1 }
  }
  if (state !== 'MERGED') return null
  return { text: 'merged', detail: String(sha).slice(0, 12), tone: 'good', depth: 1 }
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
