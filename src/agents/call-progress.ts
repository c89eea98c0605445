import { createHash } from 'node:crypto'
import type { LaneData } from '../domain/lane/lane.ts'
import type { ToolCall } from '../domain/lane/message.ts'
import { normalisedOutput } from '../domain/lane/normalised-output.ts'
import { type Progress, withCall, withCommand, withEdit, withKnown } from '../domain/lane/progress.ts'
import type { Expectation } from '../ports/rows.ts'
import type { Tool } from './tools/tool.ts'

interface Called {
  /** Null for a call that no tool took. */
  readonly kind: Tool['kind'] | null
  readonly tool: string
  readonly input: unknown
  readonly ok: boolean
  readonly output: string
  /** When it began, in ISO 8601. */
  readonly startedAt: string
  /** Of an edit. */
  readonly expectation: Expectation | null
}

/** The lane's progress after a call, by what the call itself shows. */
export function callProgress(lane: LaneData, called: Called): Progress {
  const { progress, iterations } = lane
  if (lane.limits.withoutProgress === undefined) return progress
  const said = called.kind === 'command' ? normalisedOutput(called.output) : called.output
  const { before, after } = marksOf(called, said)
  const fingerprint = fingerprintOf(called, said)
  return withCall(withKnown(afterKind(lane, called), before), { marks: after, fingerprint }, iterations)
}

/**
 * The lane's progress after the workflow has answered its call. Without `marks` of its own the
 * answer counts by its words.
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

/** Calls are the same when they ask the same and are answered the same. */
function fingerprintOf({ tool, input }: { readonly tool: string; readonly input: unknown }, said: string): string {
  return markOf([tool, input, said])
}

/** 10 characters that stand for a value; two values have the same with no chance to speak of. */
export function markOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 10)
}

function afterKind({ role, progress }: LaneData, { kind, ok, startedAt, expectation }: Called): Progress {
  // While it plans the workspace is read-only.
  const isPlanning = role === 'editor_planning'
  if (kind === 'command') return isPlanning ? progress : withCommand(progress, startedAt)
  if (kind !== 'edit' || expectation === null) return progress
  // Nobody knows the end of an edit that was begun and failed.
  return ok ? withEdit(progress) : withCommand(withEdit(progress), startedAt)
}

interface Marks {
  /** What the call found, as its result says: to bring it back is nothing new. */
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/**
 * A read or a search is new by what it shows: another range, or another pattern, that shows nothing
 * else is not.
 */
function marksOf({ kind, tool, input, ok, expectation }: Called, said: string): Marks {
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
