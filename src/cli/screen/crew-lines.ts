import { acceptLine } from '../../app/text/accept-line.ts'
import { criteriaInShort } from '../../app/text/criteria-in-short.ts'
import type { Event, EventData, EventOfType } from '../../domain/event.ts'
import { formatCount } from '../../domain/figures-text.ts'
import { findingLine } from '../../domain/gate/finding-line.ts'
import { storyStates } from '../../domain/story/story-machine.ts'
import type { Milestone } from './milestone.ts'
import { pausedInShort } from './paused-lanes.ts'
import { replyLine } from './question.ts'
import { toneOf } from './state-tones.ts'
import { advanceWork, costInShort, type Storyline } from './storyline.ts'

/**
 * The line for an event; null for one that only the live line shows. Handles messages between
 * agents and people, and passes other events on.
 */
export function crewLine(storyline: Storyline, event: Event): Milestone | null {
  const { type, data } = event
  switch (type) {
    case 'stories':
      return stories(storyline, data)
    case 'request':
      return data.state === 'ANSWERED' ? answered(data) : null
    case 'review':
      return review(data)
    case 'acceptance':
      return acceptance(data)
    case 'fewer_coders':
      return {
        text: `${data.allowed} editors at once`,
        detail: `${data.source} asks for ${data.asked}. Raise max_coders in your own file, or use --max-coders`,
        tone: 'strong',
        depth: 0,
      }
    case 'plan_edit':
      return planEdit(storyline, data)
    case 'accepted':
      return {
        text: event.actor === undefined ? 'accepted by you' : 'accepted',
        detail: data.findings.join(', '),
        tone: 'good',
        depth: 1,
      }
    case 'landed':
      return { text: `landed in ${data.repository}`, detail: data.branch, tone: 'good', depth: 0 }
    case 'merge':
      return merge(data)
    case 'chat':
      // The next event shows the answer to a question.
      if (data.reply_to !== undefined && storyline.questions.has(data.reply_to)) return null
      return { text: 'chat', detail: `${data.agent_id}, message ${data.id}`, tone: 'plain', depth: 1 }
    case 'escalation':
      return question(storyline, event)
    case 'escalation_answered':
      storyline.questions.delete(data.id)
      return { text: 'answered', detail: `message ${data.id}`, tone: 'good', depth: 1, more: data.answer }
    default:
      return advanceWork(storyline, event)
  }
}

function question(storyline: Storyline, event: EventOfType<'escalation'>): Milestone {
  const { id, question: asked, evidence, findings = [] } = event.data
  storyline.questions.add(id)
  const more = [asked, evidence, acceptLine(event, findings), replyLine(id)].filter(Boolean).join('\n\n')
  return { text: 'ASKS YOU', detail: `message ${id}`, tone: 'bad', depth: 0, more }
}

function stories(storyline: Storyline, { count, ids }: EventData['stories']): Milestone {
  for (const id of ids) storyline.stories.set(id, { state: 'QUEUED', attempt: 1 })
  const text = count === 1 ? '1 story' : `${count} stories`
  return { text, detail: ids.join(', '), tone: 'strong', depth: 0 }
}

/** The line for an edit of the plan. A refusal is only told to the person who made the edit. */
function planEdit(storyline: Storyline, edit: EventData['plan_edit']): Milestone | null {
  const { by, outcome, added, changed, dropped } = edit
  if (outcome !== 'edited' || added.length + changed.length + dropped.length === 0) return null
  // Without any stories being built, there is nothing to count.
  if (storyline.stories.size > 0) for (const id of added) storyline.stories.set(id, { state: 'QUEUED', attempt: 1 })
  for (const id of dropped) storyline.stories.delete(id)
  const parts = [
    added.length > 0 && `added ${added.join(', ')}`,
    changed.length > 0 && `changed ${changed.join(', ')}`,
    dropped.length > 0 && `dropped ${dropped.join(', ')}`,
  ]
  return { text: `plan edited by ${by}`, detail: parts.filter(Boolean).join('; '), tone: 'strong', depth: 0 }
}

/** The line for an answered request. Reviews have lines of their own. */
function answered({ kind, verdict }: EventData['request']): Milestone | null {
  if (kind === 'question') return { text: 'question answered', tone: 'plain', depth: 1 }
  if (kind !== 'budget') return null
  return { text: verdict ?? 'answered', detail: 'budget review', tone: toneOf(verdict), depth: 1 }
}

/** The line for hidden tests, only if they are ready or will not be used. */
function acceptance(data: EventData['acceptance']): Milestone | null {
  if (data.state !== 'READY') return null
  return { text: 'acceptance tests ready', detail: criteriaInShort(data), tone: 'plain', depth: 1 }
}

function review({ kind, round, verdict, open, findings }: EventData['review']): Milestone {
  const left = open === 0 ? '' : `, ${open === 1 ? '1 finding' : `${open} findings`} open`
  return {
    text: verdict ?? 'answered',
    detail: `${kind} review ${round}${left}`,
    tone: toneOf(verdict),
    depth: 1,
    notes: findings.map((finding) => findingLine(finding)),
  }
}

function merge({ state, sha = '', conflicts = [], findings }: EventData['merge']): Milestone | null {
  if (state === 'RETURNED') {
    const detail =
      conflicts.length > 0
        ? `conflict in ${conflicts.join(', ')}`
        : findings === undefined
          ? 'the merged result fails verification'
          : 'the merged result touches the gate'
    return { text: 'merge returned', detail, tone: 'bad', depth: 1 }
  }
  if (state !== 'MERGED') return null
  return { text: 'merged', detail: sha.slice(0, 12), tone: 'good', depth: 1 }
}

/** Parts for one line: stories by state, questions for a human, and tokens. */
export function crewInShort(storyline: Storyline): readonly string[] {
  const { state, stories: known, questions, paused, git, tokens } = storyline
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
    git ?? '',
    `${formatCount(tokens)} tokens`,
    costInShort(storyline),
  ]
}
