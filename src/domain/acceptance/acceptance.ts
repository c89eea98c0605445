import type { Machine, MachineTable } from '../machine.ts'
import type { Criterion, Interface } from './criteria.ts'

/**
 * The tests of one story that its editor never sees. WRITING: a lane of the architect writes them.
 * READING: another one, which knows nothing of the first, looks for what demands each expected
 * value. TRYING: the verifier runs them on the base. READY: a change is verified with what is left.
 */
export const acceptanceStates = ['WRITING', 'READING', 'TRYING', 'READY', 'CANCELLED'] as const

export type AcceptanceState = (typeof acceptanceStates)[number]

export const acceptanceEvents = ['written', 'read', 'returned', 'ready', 'mended', 'cancelled', 'reopened'] as const

export type AcceptanceEvent = (typeof acceptanceEvents)[number]

/**
 * The machine as data. A criterion that cannot be tested stays untested; the story is never
 * blocked.
 */
export const acceptanceTable: MachineTable<AcceptanceState, AcceptanceEvent> = {
  WRITING: { written: 'READING', ready: 'READY', cancelled: 'CANCELLED' },
  READING: { read: 'TRYING', returned: 'WRITING', ready: 'READY', cancelled: 'CANCELLED' },
  TRYING: { returned: 'WRITING', ready: 'READY', cancelled: 'CANCELLED' },
  READY: { mended: 'TRYING', cancelled: 'CANCELLED' },
  /** The story is retried. */
  CANCELLED: { reopened: 'WRITING' },
}

/** The facts that anybody may know. The tests themselves are in a table of their own. */
export interface AcceptanceData {
  /** The commit that they were tried on. */
  readonly base: string
  /** Machine id of the lane that writes them; null for tests of the Run that this one follows. */
  readonly lane: string | null
  /** Machine id of the lane that reads them; null before the first. */
  readonly reader: string | null
  /** Counts the times that they were given back to their author. */
  readonly returns: number
  readonly criteria: readonly Criterion[]
  readonly interface: Interface
  /** True if somebody other than their author changed them last; absent otherwise. */
  readonly isMended?: boolean
  /** SHA-256 of the tests that count; null while none does. */
  readonly digest: string | null
}

export type Acceptance = Machine<AcceptanceState, AcceptanceData, 'acceptance'>

export function acceptanceId(run: string, story: string): string {
  return `${run}/acceptance/${story}`
}
