import { limits } from '../limits.ts'

/** The progress of an editor's lane, as far as it can be observed. */
export interface Progress {
  /** Replies of the lane (`iterations`) at the last progress. */
  readonly at: number
  /** Replies that brought something new; left out before the first, and by older versions. */
  readonly fresh?: number
  /** Marks of everything seen, newest last; the oldest are dropped beyond a limit. */
  readonly seen: readonly string[]
  /** Fingerprints of the last calls without progress, each with its result. */
  readonly calls: readonly string[]
  readonly workspace: WorkspaceView
}

/**
 * Knowledge of the workspace. Edits report their changes; a command's changes show only in a look.
 */
interface WorkspaceView {
  /** Edits and commands of the lane so far. */
  readonly edits: number
  readonly commands: number
  /** Start of the lane's first command, in ISO 8601; null until then. */
  readonly since: string | null
  /** The last look, with the numbers of edits and commands before it; null before the first. */
  readonly looked: Look | null
}

/** The result of a look at the workspace, and the time in the lane when it began. */
export interface Look {
  /** Replies of the lane at the start of the look. */
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

/** Adds the fields that older versions did not store. */
export function withProgressFields(stored: Partial<Progress>): Progress {
  if (stored.workspace !== undefined) return stored as Progress
  return { ...noProgress, at: stored.at ?? 0, seen: stored.seen ?? [] }
}

/** Adds the marks seen in turn `at`. A new mark counts as progress. */
export function withMarks(progress: Progress, marks: readonly string[], at: number): Progress {
  const fresh = freshOf(progress, marks)
  return fresh.length === 0 ? progress : { ...remembering(progress, fresh), ...newsAt(progress, at), calls: [] }
}

/** Several new marks of one reply count once. */
function newsAt(progress: Progress, at: number): Pick<Progress, 'at' | 'fresh'> {
  const { at: before, fresh = 0 } = progress
  return { at, fresh: at > before ? fresh + 1 : fresh }
}

/** Remembers marks that existed before the lane did anything, and so are not progress. */
export function withKnown(progress: Progress, marks: readonly string[]): Progress {
  const fresh = freshOf(progress, marks)
  return fresh.length === 0 ? progress : remembering(progress, fresh)
}

/**
 * Adds a call of turn `at`: the marks of its result, and the fingerprint of both. A call without a
 * new mark is remembered as such.
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

/** Records a command that began at `startedAt`; its changes are unknown. */
export function withCommand(progress: Progress, startedAt: string): Progress {
  const { workspace } = progress
  const { commands, since } = workspace
  return { ...progress, workspace: { ...workspace, commands: commands + 1, since: since ?? startedAt } }
}

/**
 * Adds the result of a look, whatever the lane has done since the look began. A difference from the
 * look before counts as the commands' work if no edit came between; the first look only remembers.
 * A return to an earlier state is not progress.
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

interface ProgressCount {
  readonly iterations: number
  readonly progress: Progress
}

/** Replies since the last progress. */
export function turnsWithout({ iterations, progress: { at } }: ProgressCount): number {
  return iterations - at
}

/** Total of replies without progress. */
export function idleTurns({ iterations, progress: { fresh = 0 } }: ProgressCount): number {
  return iterations - fresh
}

/** True if a command has run since the last look at the workspace. */
export function isWorkspaceUnknown({ workspace: { commands, looked } }: Progress): boolean {
  return commands > (looked?.commands ?? 0)
}

/**
 * True if the workspace should be inspected beside the next request: now and then, without
 * progress.
 */
export function isLookDue(lane: ProgressCount, most: number | undefined): boolean {
  if (most === undefined || !isWorkspaceUnknown(lane.progress)) return false
  const turns = turnsWithout(lane)
  return turns > 0 && turns % lookEvery(most) === 0
}

/** True if the workspace should be inspected for the first time. */
export function isFirstLookDue(lane: ProgressCount, most: number | undefined): boolean {
  return most !== undefined && turnsWithout(lane) >= lookEvery(most)
}

/** The first look only remembers, so one must come before the lane may be stopped. */
function lookEvery(most: number): number {
  return Math.max(1, Math.min(limits.stall.lookEvery, most - 1))
}

/**
 * The kind of standstill, if any: no progress for too long, or only the same few calls with known
 * results. `most` is undefined for a lane without a guard.
 */
export function standstillOf(lane: ProgressCount, most: number | undefined): 'no_progress' | 'alternating' | null {
  if (most === undefined) return null
  const { calls } = lane.progress
  const isFull = calls.length >= limits.stall.calls
  if (isFull && new Set(calls).size <= limits.stall.distinctCalls) return 'alternating'
  return turnsWithout(lane) >= most ? 'no_progress' : null
}

/**
 * True if so few replies are left before a standstill that only terminal calls are accepted. A
 * short guard leaves all its replies to the lane.
 */
export function isNearStandstill(lane: ProgressCount, most: number | undefined): boolean {
  return most !== undefined && most >= limits.shortGuard && most - turnsWithout(lane) <= limits.lastTurns
}
