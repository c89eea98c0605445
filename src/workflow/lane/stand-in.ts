import type { LaneStep } from '../../agents/lane.ts'
import { agentOf, type Lane, type LaneData, suspensionOf } from '../../domain/lane/lane.ts'
import { limits } from '../../domain/limits.ts'
import {
  modelsOfRole,
  modelToStartWith,
  outageOf,
  standInFor,
  withAnswer,
  withOutage,
} from '../../domain/run/fallback.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Transaction } from '../../ports/store.ts'
import { load } from '../machines.ts'
import type { Acts, Decision } from './decision.ts'

/** A lane with the name of its model. */
export type AskingLane = Lane & { readonly model: string }

/**
 * Chooses the lane's model. A lane stays with one model, so that the provider's cache is used. Only
 * a role with several models stores the choice.
 */
export function withModel(lane: Lane, { id, data: { models, outages = [] } }: Run, now: Date): AskingLane {
  const names = models === null ? [] : modelsOfRole(models, agentOf(lane.data.role))
  const { model: noted } = lane.data
  const model = noted !== undefined && names.includes(noted) ? noted : modelToStartWith(names, outages, now)
  if (model === null) throw new Error(`run ${id} has no model for ${lane.data.role}`)
  const data = names.length > 1 ? { ...lane.data, model } : lane.data
  return { ...lane, data, model }
}

interface StandInStep {
  readonly step: LaneStep
  /** Stored with a step that changes to another model, or whose model answers again. */
  readonly note: Decision
  /** True if the next request goes to another model. */
  readonly isReplaced: boolean
}

/**
 * The step of a lane whose model fails: another model replaces it if it has not answered for long,
 * cannot be reached at all, or has used up its quota. The conversation continues.
 */
export function withStandIn(
  step: LaneStep,
  { lane, run, now }: { readonly lane: Lane; readonly run: Run; readonly now: Date },
): StandInStep {
  const { models, outages = [] } = run.data
  const { model } = lane.data
  if (models === null || model === undefined) return { step, note: [], isReplaced: false }
  const known = outageOf(outages, model)
  const noted = { type: 'note_model', run: run.id, model, at: now.toISOString() } as const
  if (step.modelCall && step.modelCall.stop !== 'error' && known !== null) {
    return { step, note: [{ ...noted, outage: null }], isReplaced: false }
  }
  const wait = waitFor(step, models.fallbackAfterSec ?? limits.fallback.afterSec, now)
  const by = wait === null ? null : standInFor(model, modelsOfRole(models, agentOf(lane.data.role)), { outages, now })
  if (wait === null || by === null) return { step, note: [], isReplaced: false }
  if (wait.ms > 0 && known === null) {
    const delayMs = Math.min(step.delayMs ?? 0, wait.ms)
    return { step: { ...step, delayMs }, note: [], isReplaced: false }
  }
  const { request: _, delayMs: __, ...rest } = step
  const { reason } = wait
  const data = { lane: lane.data.key, from: model, to: by, reason }
  const note: Decision = [
    { ...noted, outage: { by, reason } },
    { type: 'tell', event: { run: run.id, story: lane.story, type: 'model_replaced', data } },
  ]
  return { step: { ...rest, event: 'again', data: movedTo(by, step.data) }, note, isReplaced: true }
}

/**
 * The reason for the outage of a step's model, and the remaining wait of the lane; null if there is
 * no outage.
 */
function waitFor(
  { request, failure, data }: LaneStep,
  afterSec: number,
  now: Date,
): { readonly ms: number; readonly reason: string } | null {
  if (failure?.exhausted) return { ms: 0, reason: failure.message }
  if (request?.type === 'model_failed' && request.error.unreachable) return { ms: 0, reason: request.error.message }
  const suspended = suspensionOf(data)
  if (request !== undefined || suspended === null) return null
  const since = Date.parse(suspended.since ?? now.toISOString())
  return { ms: since + afterSec * 1_000 - now.getTime(), reason: suspended.reason }
}

/** The context window that was learned of the other model does not apply to this one. */
function movedTo(model: string, data: LaneData): LaneData {
  return { ...data, model, rest: null, failedCalls: 0, measured: null, cut: { ...data.cut, overflow: null } }
}

/** Merges with the stored outages, since other lanes may have changed them in the meantime. */
export async function noteModel(tx: Transaction, { run, model, at, outage }: Acts['note_model']): Promise<void> {
  const current = await load(tx, 'run', run)
  const before = current.data.outages ?? []
  const now = new Date(at)
  const outages = outage === null ? withAnswer(before, model, now) : withOutage(before, { model, ...outage }, now)
  await tx.edit(current, { outages })
}
