import type { Machine, MachineTable } from '../machine.ts'

export const remarkStates = ['OPEN', 'ANSWERED', 'SETTLED', 'ACCEPTED', 'STUCK', 'REFUSED'] as const

export type RemarkState = (typeof remarkStates)[number]

export const remarkEvents = ['settled', 'answered', 'accepted', 'stuck', 'reopened', 'refused'] as const

export type RemarkEvent = (typeof remarkEvents)[number]

/**
 * The remark machine as data. OPEN: the remark is being worked on, or will be. ANSWERED: an editor
 * has said why nothing changes, and a person must accept that. SETTLED: a verified commit settles
 * it. ACCEPTED: a person accepts the work without a change. STUCK: the work on it ended without a
 * commit. REFUSED: nothing can be built for it.
 */
export const remarkTable: MachineTable<RemarkState, RemarkEvent> = {
  OPEN: { settled: 'SETTLED', answered: 'ANSWERED', accepted: 'ACCEPTED', stuck: 'STUCK', refused: 'REFUSED' },
  ANSWERED: { accepted: 'ACCEPTED', reopened: 'OPEN' },
  STUCK: { accepted: 'ACCEPTED', reopened: 'OPEN' },
  SETTLED: {},
  ACCEPTED: {},
  REFUSED: {},
}

export const settledStates: readonly RemarkState[] = ['SETTLED', 'ACCEPTED', 'REFUSED']

/** True if the remark will not change any more. */
export function isSettled(state: RemarkState): boolean {
  return settledStates.includes(state)
}

export type RemarkSource =
  | { readonly kind: 'dashboard' }
  | { readonly kind: 'cli' }
  /** A comment on a change of a forge; `comment` is the forge's id of it. */
  | { readonly kind: 'forge'; readonly forge: string; readonly change: number; readonly comment: string }
  /** A failed check of a forge. */
  | { readonly kind: 'ci'; readonly check: string }

/** The lines that a remark is about. `start` is null for the whole file. */
export interface RemarkPlace {
  /** Relative to the repository. */
  readonly path: string
  readonly start: number | null
  /** The last line, included; equal to `start` for one line. */
  readonly end: number | null
  /** The side of the diff that the lines are counted on: before the change, or after it. */
  readonly side: 'old' | 'new'
  /** The part of the diff that was shown, as text. */
  readonly hunk: string | null
}

/** The remarks that a reply follows. */
export interface RemarkThread {
  /** Id of the first one as a finding, such as `F-3`. */
  readonly finding: string
  /** The words so far, of people and of the editor. */
  readonly said: string
}

/** A remark of a person, or of a check, about a change. */
export interface NewRemark {
  /** Identifies the remark, however often it is submitted to a Run. */
  readonly key: string
  /** The author's name, for people and models. */
  readonly author: string
  readonly source: RemarkSource
  readonly place: RemarkPlace | null
  readonly text: string
  /** The thread that it is said in; left out for a remark that begins one. */
  readonly inReplyTo?: RemarkThread
}

export interface RemarkData extends NewRemark {
  /** The remark's id as a finding, such as `F-3`: unique in its Run. */
  readonly finding: string
  /** ISO 8601; when the remark was stored. */
  readonly at: string
  /** The id reserved for the Run that works on the remark once its own Run has ended. */
  readonly promised: string
  /** The Run that works, or has worked, on the remark; null while that is its own. */
  readonly followUp: string | null
  /** Id of the chat message that informs the story's editor; null without one. */
  readonly message: string | null
  /** SETTLED: the verified commit of the run branch that settles it. */
  readonly commit: string | null
  /** The answer of the agent that worked on the remark, or the reason why there was no result. */
  readonly reply: string | null
}

/** The machine's id never equals that of a Run or a story. */
export type Remark = Machine<RemarkState, RemarkData, 'remark'>
