import type { Machine, MachineTable } from '../machine.ts'

export const remarkStates = ['OPEN', 'ANSWERED', 'SETTLED', 'ACCEPTED', 'STUCK', 'REFUSED'] as const

export type RemarkState = (typeof remarkStates)[number]

export const remarkEvents = ['settled', 'answered', 'accepted', 'stuck', 'reopened', 'refused'] as const

export type RemarkEvent = (typeof remarkEvents)[number]

/**
 * The remark machine as data. OPEN: somebody works on it, or will. ANSWERED: an editor has said why
 * nothing changes, and a person must accept that. SETTLED: a verified commit settles it. ACCEPTED:
 * a person takes the work as it is. STUCK: the work on it has ended without a commit. REFUSED:
 * nothing can be built for it.
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

/** Nothing more becomes of it. */
export function isSettled(state: RemarkState): boolean {
  return settledStates.includes(state)
}

/** Where a remark comes from. */
export type RemarkSource =
  | { readonly kind: 'dashboard' }
  | { readonly kind: 'cli' }
  /** A comment on a change of a forge; `comment` is the forge's id of it. */
  | { readonly kind: 'forge'; readonly forge: string; readonly change: number; readonly comment: string }
  /** A check of a forge that is red. */
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

/** What a person, or a check, says about a change. */
export interface NewRemark {
  /** The same key is the same remark, however often it is submitted to a Run. */
  readonly key: string
  /** The name of who says it, for people and models. */
  readonly author: string
  readonly source: RemarkSource
  readonly place: RemarkPlace | null
  readonly text: string
}

export interface RemarkData extends NewRemark {
  /** Its id as a finding, such as `F-3`: unique in its Run. */
  readonly finding: string
  /** ISO 8601: when it was taken in. */
  readonly at: string
  /** The Run that is to work on it once its own has ended: a name that is promised to it. */
  readonly promised: string
  /** The Run that works, or has worked, on it; null while that is its own. */
  readonly followUp: string | null
  /** Id of the chat message that tells its story's editor; null where it tells nobody. */
  readonly message: string | null
  /** SETTLED: the verified commit of the run branch that settles it. */
  readonly commit: string | null
  /** The answer of who worked on it, or why nothing came of it. */
  readonly reply: string | null
}

/** Its id is never that of a Run or a story. */
export type Remark = Machine<RemarkState, RemarkData, 'remark'>
