import type { Machine, MachineTable } from '../machine.ts'
import type { RunError } from '../run/run.ts'

/**
 * REQUESTED: a person wants the result of a Run on a branch, as a change at a forge, or in the
 * working tree. VERIFYING: the merge with the branch is being verified. MOVING: the way is known,
 * and the branch is moved.
 */
export const landingStates = ['REQUESTED', 'VERIFYING', 'MOVING', 'LANDED', 'REFUSED'] as const

export type LandingState = (typeof landingStates)[number]

export const landingEvents = ['verifying', 'moving', 'landed', 'refused'] as const

export type LandingEvent = (typeof landingEvents)[number]

/** The landing machine as data. A refused landing is final: a person may request another one. */
export const landingTable: MachineTable<LandingState, LandingEvent> = {
  REQUESTED: { verifying: 'VERIFYING', moving: 'MOVING', landed: 'LANDED', refused: 'REFUSED' },
  VERIFYING: { moving: 'MOVING', landed: 'LANDED', refused: 'REFUSED' },
  MOVING: { landed: 'LANDED', refused: 'REFUSED' },
  LANDED: {},
  REFUSED: {},
}

export const landedStates: readonly LandingState[] = ['LANDED', 'REFUSED']

/** A person lands what others hold. */
export interface Anyway {
  readonly reason: string
  /** The name of the person. */
  readonly by: string
  /** Names the holders, as "1 comment of Ada". */
  readonly held_by: string
  /** Keys of what held it when the person said so: what comes later holds it again. */
  readonly over: readonly string[]
}

/** The target of a landing. `accepted`: the gate's findings on the merge that a person accepts. */
export type LandingGoal =
  | { readonly kind: 'onto'; readonly branch: string; readonly accepted: readonly string[] }
  | { readonly kind: 'change' }
  /** The user's working tree, uncommitted. */
  | { readonly kind: 'apply' }

/** A move of a branch between two commits. */
export interface LandingWay {
  readonly from: string
  readonly sha: string
  readonly kind: 'forward' | 'merge'
}

export type LandingResult =
  /** The changed files; all of them are now as verified. */
  | { readonly kind: 'apply'; readonly files: readonly string[] }
  | {
      readonly kind: 'onto'
      readonly branch: string
      readonly sha: string
      /** `there`: the branch had the commit before the request. */
      readonly moved: 'there' | LandingWay['kind']
    }
  | {
      readonly kind: 'change'
      readonly forge: string
      readonly number: number
      readonly url: string
      /** False if the change was open already; it now has the newest commit. */
      readonly opened: boolean
      /** The reason why no review could be requested; null without one. */
      readonly problem: RunError | null
    }

/** The reason why nothing was moved. */
export interface LandingRefusal extends RunError {
  /** Findings of the gate on the merge that nobody has accepted; empty for any other reason. */
  readonly findings: readonly { readonly id: string; readonly file: string; readonly claim: string }[]
}

export interface LandingData {
  readonly goal: LandingGoal
  /** Left out where nothing held the result. */
  readonly anyway?: Anyway
  /** Time of the request, ISO 8601. */
  readonly at: string
  /** Null until the way is known, and for a change. */
  readonly way: LandingWay | null
  /** The Run that verifies the merge; null where none is needed. */
  readonly verification: string | null
  readonly result: LandingResult | null
  readonly refusal: LandingRefusal | null
}

export type Landing = Machine<LandingState, LandingData, 'landing'>

export function landingMachine(name: string): string {
  return `landing/${name}`
}

/** True until the landing has ended. */
export function isLanding({ state }: Pick<Landing, 'state'>): boolean {
  return !landedStates.includes(state)
}
