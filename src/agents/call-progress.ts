import { createHash } from 'node:crypto'
import type { LaneData } from '../domain/lane/lane.ts'
import { type Progress, withEdit, withMarks } from '../domain/lane/progress.ts'
import type { Expectation } from '../ports/rows.ts'
import type { Tool } from './tools/tool.ts'

interface Called {
  readonly kind: Tool['kind'] | null
  readonly tool: string
  readonly input: unknown
  readonly ok: boolean
  /** Of an edit. */
  readonly expectation: Expectation | null
}

/**
 * What a call shows of the lane's progress: files that edits have changed and, while there is only
 * a plan to make, files that are read. What a command changed nobody knows.
 */
export function callProgress(lane: LaneData, { kind, tool, input, ok, expectation }: Called): Progress {
  const { progress, iterations } = lane
  if (lane.limits.withoutProgress === undefined) return progress
  if (isPlanning(lane)) {
    const isNews = ok && tool === 'read_file'
    return isNews
      ? withMarks(progress, [`read:${fingerprint((input as { path?: unknown }).path)}`], iterations)
      : progress
  }
  if (kind === 'command' || (kind === 'edit' && !ok)) return { ...progress, unknown: true }
  if (kind !== 'edit' || expectation === null) return progress
  const changed = expectation.flatMap(({ path, before, after }) =>
    before === after ? [] : [before, after].flatMap((hash) => (hash === null ? [] : [fingerprint([path, hash])])),
  )
  return withEdit(progress, changed, iterations)
}

/** It may only read. */
export function isPlanning({ role }: Pick<LaneData, 'role'>): boolean {
  return role === 'planner' || role === 'crew_planner'
}

/** 16 hexadecimal digits. */
function fingerprint(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16)
}
