import type { ReviewVerdict } from '../gate/finding.ts'
import type { Machine, MachineTable } from '../machine.ts'

/** The kinds of request to the architect, by an editor or by the workflow. */
export const requestKinds = ['question', 'plan', 'code', 'completion', 'budget', 'acceptance'] as const

export type RequestKind = (typeof requestKinds)[number]

/** Those that raise findings. */
export type ReviewKind = Extract<RequestKind, 'plan' | 'code' | 'completion'>

export const requestStates = ['OPEN', 'ESCALATED', 'ANSWERED', 'CANCELLED'] as const

export type RequestState = (typeof requestStates)[number]

export const requestEvents = ['answered', 'escalated', 'guided', 'cancelled'] as const

export type RequestEvent = (typeof requestEvents)[number]

/**
 * The request machine as data. Several are open at once; one that is escalated holds up nobody
 * else.
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
  /** The commit that it speaks of; an approval holds for this one only. */
  readonly sha: string
  /** The slot that its lane was told last. */
  readonly coder: string
  /** Machine id of its lane. */
  readonly lane: string
  /** Id of the chat message that a human is asked with, while it is ESCALATED. */
  readonly escalation: string | null
  /** A first lane of it ended since its model made no usable call; missing otherwise. */
  readonly isAnew?: boolean
  /** Of a budget review: why the editor was stopped, in words, with the figures. */
  readonly cause?: string
  readonly verdict: ReviewVerdict | null
  readonly response: string | null
}

export type Request = Machine<RequestState, RequestData, 'request'>
