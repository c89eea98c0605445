import { limits } from '../limits.ts'

/** The progress of an editor's lane, as far as it shows without asking the editor. */
export interface Progress {
  /** Replies of the lane (`iterations`) when something new was seen of it last. */
  readonly at: number
  /**
   * What its edits have made of the workspace since it began, as a sum of what they took away and
   * put there: 16 hexadecimal digits.
   */
  readonly edits: string
  /** Marks of all that was seen, newest last; of very many the first are forgotten. */
  readonly seen: readonly string[]
  /**
   * A command, or an edit of which nobody knows the end, may have changed the workspace since it
   * was looked at.
   */
  readonly unknown: boolean
}

export const noProgress: Progress = { at: 0, edits: '0'.repeat(16), seen: [], unknown: false }

/**
 * Adds the marks seen by the turn `at`. It is progress if any of them is new; a return to an
 * earlier state is not.
 */
export function withMarks(progress: Progress, marks: readonly string[], at: number): Progress {
  const fresh = [...new Set(marks)].filter((mark) => !progress.seen.includes(mark))
  if (fresh.length === 0) return progress
  return { ...progress, at, seen: [...progress.seen, ...fresh].slice(-limits.stall.marks) }
}

/**
 * Records the marks found at the start of a lane, or at the first look at it. The lane did not
 * cause them, so they are not progress.
 */
export function startedWith(progress: Progress, marks: readonly string[]): Progress {
  return { ...withMarks(progress, [editsMark(progress.edits), ...marks], 0), at: progress.at }
}

/**
 * An edit took away and put there what these fingerprints stand for, of 16 hexadecimal digits each.
 */
export function withEdit(progress: Progress, fingerprints: readonly string[], at: number): Progress {
  const sum = fingerprints.reduce((all, one) => all ^ BigInt(`0x${one}`), BigInt(`0x${progress.edits}`))
  const edits = sum.toString(16).padStart(16, '0')
  return withMarks({ ...progress, edits }, [editsMark(edits)], at)
}

function editsMark(edits: string): string {
  return `edits:${edits}`
}

interface Counted {
  readonly iterations: number
  readonly progress: Progress
}

/** Replies since the last progress. */
export function turnsWithout({ iterations, progress: { at } }: Counted): number {
  return iterations - at
}

/**
 * Whether to look for marks that show only in the workspace and in stored rows: soon after the last
 * progress, and before the lane is stopped. `most` is undefined for a lane without a guard.
 */
export function isLookDue(lane: Counted, most: number | undefined): boolean {
  if (most === undefined) return false
  const turns = turnsWithout(lane)
  return lane.progress.seen.length === 0 || turns >= most || turns === Math.min(limits.stall.lookAfter, most)
}

/** Whether the lane continues without progress. Ask after a look that was due. */
export function isStalled(lane: Counted, most: number | undefined): boolean {
  return most !== undefined && turnsWithout(lane) >= most
}
