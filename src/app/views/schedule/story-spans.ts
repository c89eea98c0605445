import type { Phase } from '../../../api/schedule.ts'
import { budgetNames, pausedHow } from '../../../domain/run/pause-cause.ts'
import { endStates, type StoryState } from '../../../domain/story/story-machine.ts'
import type { CrewDays, Stay, StoryDays } from './crew-days.ts'

/** A part of a story's time that is spent on one activity or on one wait. */
export interface Part {
  readonly phase: Phase
  readonly from: string
  readonly to: string
  readonly why: string
}

const phaseOf: Readonly<Record<StoryState, Phase>> = {
  QUEUED: 'waiting',
  BLOCKED: 'waiting',
  SETUP: 'planning',
  PLANNING: 'planning',
  PLAN_REVIEW: 'reviewing',
  CODING: 'coding',
  VERIFYING: 'verifying',
  CODE_REVIEW: 'reviewing',
  COMPLETION_REVIEW: 'reviewing',
  ACCEPTANCE_REVIEW: 'reviewing',
  QUESTION: 'reviewing',
  BUDGET_REVIEW: 'reviewing',
  MERGING: 'merging',
  ESCALATED: 'asking',
  PAUSED: 'paused',
  DONE: 'waiting',
  STUCK: 'waiting',
  INFRA_ERROR: 'waiting',
  REJECTED: 'waiting',
  NO_CHANGE: 'waiting',
  CANCELLED: 'waiting',
  DROPPED: 'waiting',
}

/** Sentences for states without further detail. Repetitions are numbered by `counted`. */
const words: Partial<Record<StoryState, string>> = {
  SETUP: 'Its workspace is made ready.',
  PLANNING: 'The editor plans.',
  PLAN_REVIEW: 'The architect reviews its plan',
  CODING: 'The editor codes',
  VERIFYING: 'The gate verifies its change',
  CODE_REVIEW: 'The architect reviews its change',
  COMPLETION_REVIEW: 'The architect judges whether it is complete already.',
  ACCEPTANCE_REVIEW: 'The architect looks at the acceptance tests that the change does not meet.',
  QUESTION: 'The editor has asked the architect, and waits for the answer.',
  BUDGET_REVIEW: 'Its attempts are used up. It waits for the architect, who decides whether it goes on.',
  ESCALATED: 'It waits for an answer.',
}

const counted: readonly StoryState[] = ['PLAN_REVIEW', 'VERIFYING', 'CODE_REVIEW']

/** The reasons why the editor codes again. */
const again: Readonly<Record<string, string>> = {
  failed: ', after a verification that was not green.',
  slice_passed: ': the next slice.',
  criteria_unmet: ', since acceptance criteria are not met.',
  needs_changes: ', after a review that asked for changes.',
  merge_returned: ', after its merge was sent back.',
  answered: ', with the answer to its question.',
  guided: ', with your answer.',
}

/** All of a story's time from its listing to its end. A story that was restarted has gaps. */
export function partsOf(story: StoryDays, days: CrewDays): readonly Part[] {
  const times = new Map<StoryState, number>()
  const parts = story.stays.flatMap((stay) => {
    const nth = (times.get(stay.state) ?? 0) + 1
    times.set(stay.state, nth)
    return endStates.includes(stay.state) ? [] : partsOfStay(stay, { story, days, nth })
  })
  const held = [...heldRun(days, story), ...heldByProvider(story, days.to)]
  return joined(held.reduce(covered, parts))
}

interface Around {
  readonly story: StoryDays
  readonly days: CrewDays
  readonly nth: number
}

function partsOfStay(stay: Stay<StoryState>, { story, days, nth }: Around): readonly Part[] {
  const { state, event, from, to } = stay
  const part = { phase: phaseOf[state], from, to }
  switch (state) {
    case 'QUEUED':
    case 'BLOCKED':
      return waiting(stay, story, days)
    case 'SETUP': {
      const hasSlot = event === 'slot_assigned'
      return [
        hasSlot
          ? { ...part, why: words.SETUP ?? '' }
          : { ...part, phase: 'waiting', why: forSlot(from, story, days, true) },
      ]
    }
    case 'MERGING':
      return merging(stay, story, days)
    case 'PAUSED':
      return [{ ...part, why: pausedWhy(story, from) }]
    case 'CODING':
      return [{ ...part, why: `${words.CODING}${again[event ?? ''] ?? '.'}` }]
    default: {
      const said = words[state] ?? ''
      return [
        { ...part, why: counted.includes(state) ? `${said}, ${nth === 1 ? 'first time' : `time ${nth}`}.` : said },
      ]
    }
  }
}

/** Splits a wait: first for the stories that it depends on, then for a workspace. */
function waiting(stay: Stay<StoryState>, story: StoryDays, days: CrewDays): readonly Part[] {
  const needed = days.stories.filter((other) => story.depends_on.includes(other.story))
  const open = needed.filter((other) => doneAt(other) === null || (doneAt(other) ?? '') > stay.from)
  if (open.length === 0)
    return [{ phase: 'waiting', from: stay.from, to: stay.to, why: forSlot(stay.from, story, days) }]
  const isNever = open.some((other) => doneAt(other) === null)
  const ready = isNever ? stay.to : earlier(latest(open.map((other) => doneAt(other) ?? '')), stay.to)
  const stuck = open.filter(({ state }) => state !== 'DONE' && state !== 'DROPPED' && endStates.includes(state))
  const why =
    stuck.length > 0
      ? `It waits for ${list(open)}. ${list(stuck)} ended without being built.`
      : `It waits for ${list(open)}, which it needs.`
  const part: Part = { phase: 'waiting', from: stay.from, to: ready, why }
  if (ready >= stay.to) return [part]
  return [part, { phase: 'waiting', from: ready, to: stay.to, why: forSlot(ready, story, days) }]
}

const atWork: readonly StoryState[] = ['SETUP', 'PLANNING', 'CODING', 'VERIFYING']

function forSlot(at: string, own: StoryDays, days: CrewDays, isBack = false): string {
  const others = days.stories.filter((other) => {
    if (other.story === own.story) return false
    return other.stays.some(({ state, from, to }) => from <= at && at < to && atWork.includes(state))
  })
  const what = isBack ? 'It waits for a free workspace to go on in' : 'It could start, and waits for a free workspace'
  return others.length === 0 ? `${what}.` : `${what}: ${list(others)} ${others.length === 1 ? 'is' : 'are'} at work.`
}

function merging({ from, to }: Stay<StoryState>, story: StoryDays, days: CrewDays): readonly Part[] {
  const begun = story.marks.find((mark) => mark.type === 'merge' && mark.data.state === 'MERGING' && mark.at >= from)
  const start = begun === undefined || begun.at > to ? to : begun.at
  const before = days.stories.filter(
    (other) => other.story !== story.story && other.stays.some((stay) => isMergingAt(stay, from)),
  )
  const queue: Part = {
    phase: 'waiting',
    from,
    to: start,
    why: `It is approved, and waits to be merged${before.length === 0 ? '.' : `: one at a time, and ${list(before)} came before.`}`,
  }
  const merge: Part = { phase: 'merging', from: start, to, why: 'It is merged, and the gate verifies the result.' }
  return [queue, merge].filter((part) => part.from < part.to)
}

function isMergingAt({ state, from, to }: Stay<StoryState>, at: string): boolean {
  return state === 'MERGING' && from < at && at < to
}

function pausedWhy(story: StoryDays, from: string): string {
  const mark = story.marks.findLast((each) => each.type === 'paused' && each.at <= from)
  if (mark?.type !== 'paused') return 'Its next call needs more than the budget allows.'
  return mark.data.reason === 'user'
    ? `It was paused ${pausedHow(mark.data)}.`
    : `Its next call needs more than ${budgetNames([mark.data])} allows.`
}

/** When the whole Run stood still, whatever its stories say. */
function heldRun({ run }: CrewDays, story: StoryDays): readonly Part[] {
  return run.flatMap(({ state, from, to }): Part[] => {
    if (state === 'PAUSED') return [{ phase: 'paused', from, to, why: pausedWhy(story, from) }]
    if (state === 'ERROR') return [{ phase: 'paused', from, to, why: 'The run had stopped with an error.' }]
    if (state === 'AWAIT_APPROVAL') return [{ phase: 'asking', from, to, why: 'The stories wait for your approval.' }]
    return []
  })
}

function heldByProvider({ marks }: StoryDays, end: string): readonly Part[] {
  return marks.flatMap((mark, i): Part[] => {
    if (mark.type !== 'suspended') return []
    const over = marks.slice(i + 1).find((each) => each.type === 'resumed' && each.data.lane === mark.data.lane)
    const { because, reason } = mark.data
    const why = because === 'disk' ? reason : `The provider does not answer: ${reason}`
    return [{ phase: 'waiting', from: mark.at, to: over?.at ?? end, why }]
  })
}

/** Replaces the parts, or portions of them, that lie within another part's time. */
function covered(parts: readonly Part[], cover: Part): readonly Part[] {
  return parts.flatMap((part) => {
    const from = latest([part.from, cover.from])
    const to = earlier(part.to, cover.to)
    if (from >= to) return [part]
    return [
      { ...part, to: from },
      { ...cover, from, to },
      { ...part, from: to },
    ].filter((each) => each.from < each.to)
  })
}

/** Merges adjacent parts with equal content and drops parts without duration. */
function joined(parts: readonly Part[]): readonly Part[] {
  const found: Part[] = []
  for (const part of parts) {
    const last = found.at(-1)
    if (last && last.phase === part.phase && last.why === part.why && last.to === part.from) {
      found[found.length - 1] = { ...last, to: part.to }
    } else if (part.from < part.to) found.push(part)
  }
  return found
}

export function doneAt({ state, endedAt }: StoryDays): string | null {
  return state === 'DONE' ? endedAt : null
}

function latest(times: readonly string[]): string {
  return times.reduce((a, b) => (a > b ? a : b), '')
}

function earlier(a: string, b: string): string {
  return a < b ? a : b
}

const named = 4

/** The first few names, as a list in a sentence. */
function list(stories: readonly StoryDays[]): string {
  const names = stories.slice(0, named).map(({ story }) => story)
  const more = stories.length - names.length
  const all = more > 0 ? [...names, `${more} more`] : names
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`
}
