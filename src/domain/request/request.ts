import type { ReviewVerdict } from '../gate/finding.ts'
import type { Machine, MachineTable } from '../machine.ts'

/** The kinds of request to the architect, by an editor or by the workflow. */
export const requestKinds = ['question', 'plan', 'code', 'completion', 'budget', 'acceptance'] as const

export type RequestKind = (typeof requestKinds)[number]

/** The kinds that raise findings. */
export type ReviewKind = Extract<RequestKind, 'plan' | 'code' | 'completion'>

export const requestStates = ['OPEN', 'ESCALATED', 'ANSWERED', 'CANCELLED'] as const

export type RequestState = (typeof requestStates)[number]

export const requestEvents = ['answered', 'escalated', 'guided', 'cancelled'] as const

export type RequestEvent = (typeof requestEvents)[number]

/**
 * The request machine as data. Several requests are open at once; an escalated one blocks no other.
 */
export const requestTable: MachineTable<RequestState, RequestEvent> = {
  OPEN: { answered: 'ANSWERED', escalated: 'ESCALATED', cancelled: 'CANCELLED' },
  ESCALATED: { guided: 'OPEN', cancelled: 'CANCELLED' },
  ANSWERED: {},
  CANCELLED: {},
}

export interface RequestData {
  readonly kind: RequestKind
  /** Name of the story in lanes: `parser`, after a retry `parser@2`. */
  readonly name: string
  /** Counts the requests of this kind in the story, from 1. */
  readonly round: number
  /** The commit in question; an approval holds for this one only. */
  readonly sha: string
  /** The slot that the request's lane was told of last. */
  readonly coder: string
  /** Machine id of the request's lane. */
  readonly lane: string
  /** Id of the chat message to a human, while the request is ESCALATED. */
  readonly escalation: string | null
  /**
   * True if the first lane of the request ended because its model made no usable call; missing
   * otherwise.
   */
  readonly isAnew?: boolean
  /** For a budget review, the reason why the editor was stopped, in words and figures. */
  readonly cause?: string
  readonly verdict: ReviewVerdict | null
  readonly response: string | null
}

export type Request = Machine<RequestState, RequestData, 'request'>
