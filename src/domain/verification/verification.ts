import type { Machine, MachineTable } from '../machine.ts'
import type { StoredAt } from './stored-files.ts'

export const verificationStates = ['REQUESTED', 'ENDED', 'CANCELLED'] as const

export type VerificationState = (typeof verificationStates)[number]

export const verificationEvents = ['requested_again', 'ended', 'cancelled'] as const

export type VerificationEvent = (typeof verificationEvents)[number]

/**
 * The verification machine as data. A merge that left the queue and returned requests the same one
 * again.
 */
export const verificationTable: MachineTable<VerificationState, VerificationEvent> = {
  REQUESTED: { ended: 'ENDED', requested_again: 'REQUESTED', cancelled: 'CANCELLED' },
  ENDED: {},
  CANCELLED: { requested_again: 'REQUESTED' },
}

export interface VerificationData {
  readonly runId: string
  /**
   * The exact commit; null for the user's working tree, which is snapshotted when the verification
   * starts.
   */
  readonly commit: string | null
  readonly base: string
  /** Name of the verifier's checkout folder. */
  readonly checkout: string
  /** ISO 8601; also the date of the commit made for the verification. */
  readonly requestedAt: string
  /**
   * Machine id of the merge whose result is verified; null for a story's change, and without a
   * story.
   */
  readonly merge: string | null
  /** The place of stored copies of the verification's files; missing until they are stored. */
  readonly stored?: StoredAt | null
}

/** `run_YYYYMMDD_HHMMSS_xxxxxx`, UTC. */
export function verificationId(at: Date, random: number): string {
  const digits = at.toISOString().replace(/[-:T]/g, '')
  const suffix = Math.floor(random * 36 ** 6)
    .toString(36)
    .padStart(6, '0')
  return `run_${digits.slice(0, 8)}_${digits.slice(8, 14)}_${suffix}`
}

/** True if an id was given in the second of this time or later. */
export function isGivenSince(id: string, time: Date): boolean {
  const [second = ''] = /^run_\d{8}_\d{6}_/.exec(id) ?? []
  return second !== '' && verificationId(time, 0) <= `${second}000000`
}

export type Verification = Machine<VerificationState, VerificationData, 'verification'>

/** A test that both failed and passed in one verification, on the same commit. */
export interface FlakyTest {
  /** The runner's name of the test. */
  readonly test: string
  readonly runId: string
  readonly run: string
  readonly story: string | null
  readonly finishedAt: string
}
