import type { Lane } from '../../domain/lane/lane.ts'
import type { Usage } from '../../domain/lane/message.ts'
import { limits } from '../../domain/limits.ts'
import { type Amount, type Cap, capInTheWay, dollarsBind } from '../../domain/run/budget.ts'
import { budgetOf } from '../../domain/run/run.ts'
import type { Model, ModelError } from '../../ports/model.ts'
import type { ModelCall } from '../../ports/rows.ts'
import { StaleVersion, type Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { load } from '../machines.ts'
import { spentBy } from '../rest/spent-by.ts'
import { noPrice } from '../run/check-prices.ts'

/**
 * The result of a reservation. With `isWaiting`, other calls still run, and the unused rest of
 * their reservations may suffice.
 */
export type ReserveResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly cap: Cap; readonly wanted: Amount; readonly isWaiting: boolean }

interface Calling {
  readonly lane: Lane
  readonly model: Pick<Model, 'id' | 'replyTokens'>
  /** Estimated tokens of the request. */
  readonly tokens: number
}

/** Reserves the highest possible cost before each call, counted over all lanes together. */
export async function reserveCall(
  { engine, store, prices }: Pick<WorkflowDependencies, 'engine' | 'store' | 'prices'>,
  { lane, model, tokens }: Calling,
): Promise<ReserveResult> {
  // A process died during this call. A recording costs nothing, so its reservation is reused. Any
  // other reservation counts as spent before the call is repeated, so that no number of crashes
  // leads to unrecorded calls.
  const isAgain = await store.holdsReservation(lane.id)
  if (isAgain && isRecording(model.id)) return { ok: true }
  const amount = await amountOf({ prices }, { model, tokens })
  return engine.transact(async (tx) => {
    const current = await load(tx, 'lane', lane.id)
    if (current.version !== lane.version) throw new StaleVersion(lane.id, lane.version)
    if (isAgain) await tx.settle(lane.id, 'lost')
    const outcome = await reserve(tx, { lane, amount })
    if (outcome === 'reserved') return { ok: true }
    if (outcome === 'no_price') {
      const { data } = await load(tx, 'run', lane.run)
      throw noPrice([model.id], budgetOf({ data }))
    }
    return { ok: false, wanted: amount, ...outcome }
  })
}

/** The highest possible cost of a call. The money is null if its model has no known price. */
export async function amountOf(
  { prices }: Pick<WorkflowDependencies, 'prices'>,
  { model, tokens }: Pick<Calling, 'model' | 'tokens'>,
): Promise<Amount> {
  const usage = { input: tokens, output: model.replyTokens ?? limits.replyTokens, cacheRead: 0, cacheWrite: 0 }
  return { microUsd: await prices.cost(model.id, usage), tokens: usage.input + usage.output }
}

/**
 * Reserves an amount for the lane's next call, if the budgets of its Run and story allow it.
 * `no_price`: a budget in dollars is set, but the call has no known price.
 */
export async function reserve(
  tx: Transaction,
  { lane, amount }: { readonly lane: Lane; readonly amount: Amount },
): Promise<'reserved' | InTheWay> {
  const inTheWay = await whatIsInTheWay(tx, { lane, amount })
  if (inTheWay !== null) return inTheWay
  await tx.reserve(lane, amount)
  return 'reserved'
}

export type InTheWay = 'no_price' | { readonly cap: Cap; readonly isWaiting: boolean }

/**
 * The reason why an amount may not be spent on top of what is spent and reserved; null if it may.
 */
export async function whatIsInTheWay(
  tx: Transaction,
  { lane, amount }: { readonly lane: Lane; readonly amount: Amount },
): Promise<InTheWay | null> {
  const { data } = await load(tx, 'run', lane.run)
  const budget = budgetOf({ data })
  if (amount.microUsd === null && dollarsBind(budget, data)) return 'no_price'
  const spent = await spentBy(tx, lane, amount)
  const cap = capInTheWay(budget, spent, amount)
  return cap === null ? null : { cap, isWaiting: spent.run.underWay > 0 }
}

function isRecording(model: string): boolean {
  return model.startsWith('replay:')
}

/**
 * Settles a lane's reservation after its call: released if the cost of the call is known, otherwise
 * spent.
 */
export function settlementOf(call: ModelCall | undefined, failure: ModelError | undefined): 'known' | 'lost' {
  if (call === undefined || call.usage !== null || isRecording(call.model)) return 'known'
  return failure?.free ? 'known' : 'lost'
}

/** Cost of a call in millionths of a dollar; null if its price or its usage is unknown. */
export function costOf(
  { prices }: Pick<WorkflowDependencies, 'prices'>,
  { model, usage }: { readonly model: string; readonly usage: Usage | null },
): Promise<number | null> {
  return usage === null ? Promise.resolve(null) : prices.cost(model, usage)
}
