import { createHash } from 'node:crypto'
import type { LaneData } from '../domain/lane/lane.ts'
import type { ToolCall } from '../domain/lane/message.ts'
import { normalisedOutput } from '../domain/lane/normalised-output.ts'
import { type Progress, withCall, withCommand, withEdit, withKnown } from '../domain/lane/progress.ts'
import type { Expectation } from '../ports/rows.ts'
import type { Tool } from './tools/tool.ts'

interface CallFacts {
  /** Null for a call that no tool could take. */
  readonly kind: Tool['kind'] | null
  readonly tool: string
  readonly input: unknown
  readonly ok: boolean
  readonly output: string
  /** Start of the call, in ISO 8601. */
  readonly startedAt: string
  /** The expectation of an edit; null for other calls. */
  readonly expectation: Expectation | null
}

/** The lane's progress after a call, as far as the call itself shows it. */
export function callProgress(lane: LaneData, called: CallFacts): Progress {
  const { progress, iterations } = lane
  if (lane.limits.withoutProgress === undefined) return progress
  const said = called.kind === 'command' ? normalisedOutput(called.output) : called.output
  const { before, after } = marksOf(called, said)
  const fingerprint = fingerprintOf(called, said)
  return withCall(withKnown(afterKind(lane, called), before), { marks: after, fingerprint }, iterations)
}

/**
 * The lane's progress after the workflow has answered its call. An answer without `marks` counts by
 * its text.
 */
export function answerProgress(
  { progress, iterations, limits }: Pick<LaneData, 'progress' | 'iterations' | 'limits'>,
  { call, output, ok, marks }: { call: ToolCall; output: string; ok: boolean; marks?: readonly string[] | undefined },
): Progress {
  if (limits.withoutProgress === undefined) return progress
  const said = normalisedOutput(output)
  const words = ok ? [`said:${markOf([call.tool, said])}`] : []
  return withCall(progress, { marks: marks ?? words, fingerprint: fingerprintOf(call, said) }, iterations)
}

/** Calls are equal if both their input and their answer are. */
function fingerprintOf({ tool, input }: { readonly tool: string; readonly input: unknown }, said: string): string {
  return markOf([tool, input, said])
}

/** A fingerprint of 10 characters; collisions are practically impossible. */
export function markOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 10)
}

function afterKind({ role, progress }: LaneData, { kind, ok, startedAt, expectation }: CallFacts): Progress {
  // The workspace is read-only during planning.
  const isPlanning = role === 'editor_planning'
  if (kind === 'command') return isPlanning ? progress : withCommand(progress, startedAt)
  if (kind !== 'edit' || expectation === null) return progress
  // The effect of a failed edit is unknown.
  return ok ? withEdit(progress) : withCommand(withEdit(progress), startedAt)
}

interface Marks {
  /** Content that the call found, by its result: restoring it is not new. */
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/**
 * A read or a search counts by what it shows: another range or pattern with the same result is not
 * new.
 */
function marksOf({ kind, tool, input, ok, expectation }: CallFacts, said: string): Marks {
  const of = (...after: readonly string[]): Marks => ({ before: [], after })
  switch (kind) {
    case 'command':
      return of(`said:${markOf(said)}`)
    case 'edit':
      return ok && expectation !== null ? fileMarks(expectation) : of()
    case 'outside':
      return ok ? of(`said:${markOf([tool, said])}`) : of()
    case 'read':
      return ok ? of(`read:${markOf([tool, (input as { path?: unknown }).path ?? null, said])}`) : of()
    default:
      return of()
  }
}

function fileMarks(expectation: Expectation): Marks {
  return {
    before: expectation.map(({ path, before }) => `file:${markOf([path, before])}`),
    after: expectation.map(({ path, after }) => `file:${markOf([path, after])}`),
  }
}
