import { limits } from '../limits.ts'

/** The progress of an editor's lane, as far as it shows without asking the editor. */
export interface Progress {
  /** Replies of the lane (`iterations`) when something new was seen of it last. */
  readonly at: number
  /** Replies that brought something new; left out before the first, and by older versions. */
  readonly fresh?: number
  /** Marks of all that was seen, newest last; of very many the first are forgotten. */
  readonly seen: readonly string[]
  /** The last calls that brought nothing new since then, each with its result, as fingerprints. */
  readonly calls: readonly string[]
  readonly workspace: WorkspaceSeen
}

/**
 * What is known of the workspace. Edits say themselves what they change; what a command changes
 * shows only to a look.
 */
interface WorkspaceSeen {
  /** Edits and commands of the lane so far. */
  readonly edits: number
  readonly commands: number
  /** When its first command ran, in ISO 8601; null before. */
  readonly since: string | null
  /** The last look, and the edits and commands before it; null before the first. */
  readonly looked: Look | null
}

/** What a look at the workspace found, and when in the lane it began. */
export interface Look {
  /** Replies of the lane. */
  readonly at: number
  readonly edits: number
  readonly commands: number
  /** A fingerprint of the files. */
  readonly files: string
}

export const noProgress: Progress = {
  at: 0,
  seen: [],
  calls: [],
  workspace: { edits: 0, commands: 0, since: null, looked: null },
}

/** Completes what an older version stored, which knew neither calls nor looks like these. */
export function withProgressFields(stored: Partial<Progress>): Progress {
  if (stored.workspace !== undefined) return stored as Progress
  return { ...noProgress, at: stored.at ?? 0, seen: stored.seen ?? [] }
}

/** Adds the marks seen by the turn `at`. It is progress if any of them is new. */
export function withMarks(progress: Progress, marks: readonly string[], at: number): Progress {
  const fresh = freshOf(progress, marks)
  return fresh.length === 0 ? progress : { ...remembering(progress, fresh), ...newsAt(progress, at), calls: [] }
}

/** Several news of one reply count once. */
function newsAt(progress: Progress, at: number): Pick<Progress, 'at' | 'fresh'> {
  const { at: before, fresh = 0 } = progress
  return { at, fresh: at > before ? fresh + 1 : fresh }
}

/** Remembers what is no news, since it was there before the lane did anything about it. */
export function withKnown(progress: Progress, marks: readonly string[]): Progress {
  const fresh = freshOf(progress, marks)
  return fresh.length === 0 ? progress : remembering(progress, fresh)
}

/**
 * Adds a call of the turn `at`: the marks of its result, and the fingerprint of both. A call that
 * brings nothing new is remembered as such.
 */
export function withCall(
  progress: Progress,
  { marks, fingerprint }: { readonly marks: readonly string[]; readonly fingerprint: string },
  at: number,
): Progress {
  const seen = withMarks(progress, marks, at)
  if (seen !== progress) return seen
  return { ...progress, calls: [...progress.calls, fingerprint].slice(-limits.stall.calls) }
}

export function withEdit(progress: Progress): Progress {
  const { workspace } = progress
  return { ...progress, workspace: { ...workspace, edits: workspace.edits + 1 } }
}

/** A command has run that began at `startedAt`: nobody knows what it has changed. */
export function withCommand(progress: Progress, startedAt: string): Progress {
  const { workspace } = progress
  const { commands, since } = workspace
  return { ...progress, workspace: { ...workspace, commands: commands + 1, since: since ?? startedAt } }
}

/**
 * Adds what a look found, whatever the lane has done since it began. Commands have changed the
 * workspace if it differs from the look before and no edit came between; the first look only
 * remembers. A return to an earlier state is no progress.
 */
export function withLook(progress: Progress, look: Look): Progress {
  const { looked } = progress.workspace
  const mark = `files:${look.files}`
  const known = withKnown(progress, [mark])
  const isByCommands = looked !== null && looked.edits === look.edits
  const isNews = known !== progress && isByCommands && look.at > progress.at
  const workspace = { ...progress.workspace, looked: look }
  return { ...known, ...(isNews && { ...newsAt(progress, look.at), calls: [] }), workspace }
}

function freshOf({ seen }: Progress, marks: readonly string[]): readonly string[] {
  return [...new Set(marks)].filter((mark) => !seen.includes(mark))
}

function remembering(progress: Progress, fresh: readonly string[]): Progress {
  return { ...progress, seen: [...progress.seen, ...fresh].slice(-limits.stall.marks) }
}

interface Counted {
  readonly iterations: number
  readonly progress: Progress
}

/** Replies since the last progress. */
export function turnsWithout({ iterations, progress: { at } }: Counted): number {
  return iterations - at
}

/** Replies that brought nothing new, all in all. */
export function idleTurns({ iterations, progress: { fresh = 0 } }: Counted): number {
  return iterations - fresh
}

/** A command has run since the workspace was looked at. */
export function isWorkspaceUnknown({ workspace: { commands, looked } }: Progress): boolean {
  return commands > (looked?.commands ?? 0)
}

/** Whether to look at the workspace beside the next request: now and then while nothing is new. */
export function isLookDue(lane: Counted, most: number | undefined): boolean {
  if (most === undefined || !isWorkspaceUnknown(lane.progress)) return false
  const turns = turnsWithout(lane)
  return turns > 0 && turns % lookEvery(most) === 0
}

/** Whether to look at the workspace of a lane for the first time. */
export function isFirstLookDue(lane: Counted, most: number | undefined): boolean {
  return most !== undefined && turnsWithout(lane) >= lookEvery(most)
}

/** The first look only remembers, so there is one before the lane may be stopped. */
function lookEvery(most: number): number {
  return Math.max(1, Math.min(limits.stall.lookEvery, most - 1))
}

/**
 * How the lane stands still, if it does: nothing new for too long, or nothing but the same few
 * calls with the same results, each of them known. `most` is undefined for a lane without a guard.
 */
export function standstillOf(lane: Counted, most: number | undefined): 'no_progress' | 'alternating' | null {
  if (most === undefined) return null
  const { calls } = lane.progress
  const isFull = calls.length >= limits.stall.calls
  if (isFull && new Set(calls).size <= limits.stall.distinctCalls) return 'alternating'
  return turnsWithout(lane) >= most ? 'no_progress' : null
}

/**
 * Whether so few replies are left before it stands still that only its end is accepted. A guard of
 * a few replies leaves them all to the lane.
 */
export function isNearStandstill(lane: Counted, most: number | undefined): boolean {
  return most !== undefined && most >= limits.shortGuard && most - turnsWithout(lane) <= limits.lastTurns
}
