import type { ChatMessage } from '../chat.ts'
import { holding } from '../gate/finding.ts'
import type { AskedQuestion } from '../run/interview.ts'
import { isEnded, type Run } from '../run/run.ts'
import { reviewIn, type Story } from '../story/story.ts'
import type { Request } from './request.ts'

/**
 * First words of a reply that decide: on stories before they start, on an ended story, or on one
 * whose base commit is red.
 */
export const decisions = ['approve', 'retry', 'skip', 'continue', 'allow', 'stop'] as const

export type Decision = (typeof decisions)[number]

/** A question that a human has been asked, and not answered yet. */
export interface OpenEscalation {
  readonly message: ChatMessage
  /** Number of the escalation in its Run, from 1. */
  readonly n: number
  /** The suggested answers in an interview; null otherwise. */
  readonly choice: AskedQuestion | null
  /** The possible decisions; empty for a question that any words answer. */
  readonly decisions: readonly Decision[]
  /**
   * Ids of the findings of the review that the question is about; accepting all of them answers it.
   */
  readonly findings: readonly string[]
  /** On a hub, the person whom it is for; null for everybody. */
  readonly assignedTo: string | null
}

interface Asking {
  readonly run: Run
  readonly stories: readonly Story[]
  readonly requests: readonly Request[]
  /** The escalations of the Run, in the order in which they were posted. */
  readonly asked: readonly ChatMessage[]
  /** The person whom a question is for, by the id of its message. Missing for everybody. */
  readonly assigned?: ReadonlyMap<string, string | null>
}

/**
 * A Run's open questions to a human, in the order in which they were asked: the messages that its
 * machines name as their escalations.
 */
export function openEscalationsOf({ run, stories, requests, asked, assigned }: Asking): readonly OpenEscalation[] {
  if (isEnded(run.state)) return []
  const waiting = new Set<string | null>([
    run.data.escalation,
    ...run.data.interview.asked.flatMap(({ message, answer }) => (answer === null ? message : [])),
    ...stories.flatMap(({ state, data }) => (state === 'DONE' || state === 'CANCELLED' ? [] : data.escalation)),
    ...requests.flatMap(({ state, data }) => (state === 'ANSWERED' || state === 'CANCELLED' ? [] : data.escalation)),
  ])
  return asked.flatMap((message, i) => {
    if (!waiting.has(message.id)) return []
    const choice = run.data.interview.asked.find((question) => question.message === message.id) ?? null
    const findings = findingsOf(message, stories)
    const assignedTo = assigned?.get(message.id) ?? null
    return [{ message, n: i + 1, choice, decisions: decisionsOf(message, { run, stories }), findings, assignedTo }]
  })
}

function decisionsOf({ id }: ChatMessage, { run, stories }: Pick<Asking, 'run' | 'stories'>): readonly Decision[] {
  if (run.data.escalation === id) return run.state === 'AWAIT_APPROVAL' ? ['approve', 'stop'] : []
  const story = stories.find(({ data }) => data.escalation === id)
  if (story === undefined) return []
  if (story.state !== 'ESCALATED') return ['retry', 'skip', 'stop']
  if (story.data.isPlanAsked) return ['approve', 'stop']
  if (story.data.unmet?.findings) return ['allow', 'stop']
  if (!story.data.redBase) return []
  return story.data.redBase.tests.length > 0 ? ['continue', 'allow', 'stop'] : ['continue', 'stop']
}

function findingsOf({ id }: ChatMessage, stories: readonly Story[]): readonly string[] {
  const story = stories.find(({ data }) => data.escalation === id)
  if (story?.state === 'ESCALATED' && story.data.unmet?.findings) return story.data.unmet.findings
  // The story may have been escalated for another reason while a review holds it.
  const kind = story?.state === 'ESCALATED' ? reviewIn(story.data.origin) : null
  return kind === null ? [] : holding(story?.data.reviews[kind].findings ?? []).map((finding) => finding.id)
}
