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
 * Whether a call may be made. `isWaiting`: others are under way, and what they leave of their
 * reservations may do.
 */
export type Reserved =
  | { readonly ok: true }
  | { readonly ok: false; readonly cap: Cap; readonly wanted: Amount; readonly isWaiting: boolean }

interface Calling {
  readonly lane: Lane
  readonly model: Pick<Model, 'id' | 'replyTokens'>
  /** Of its request, estimated. */
  readonly tokens: number
}

/**
 * Before each call: what it can cost at most is taken out of what may be spent, for all lanes at
 * once.
 */
export async function reserveCall(
  { engine, store, prices }: Pick<WorkflowDependencies, 'engine' | 'store' | 'prices'>,
  { lane, model, tokens }: Calling,
): Promise<Reserved> {
  // A process ended in the middle of this call. A recording was paid by nobody: its reservation is
  // taken over. Any other is spent before the call is made again, so that no number of crashes
  // makes a call that is in no book.
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

/** What a call can cost at most. Its money is null when its model has no known price. */
export async function amountOf(
  { prices }: Pick<WorkflowDependencies, 'prices'>,
  { model, tokens }: Pick<Calling, 'model' | 'tokens'>,
): Promise<Amount> {
  const usage = { input: tokens, output: model.replyTokens ?? limits.replyTokens, cacheRead: 0, cacheWrite: 0 }
  return { microUsd: await prices.cost(model.id, usage), tokens: usage.input + usage.output }
}

/**
 * Reserves an amount for the lane's next call, if the budgets of its Run and story have it.
 * `no_price`: dollars are counted, and the call has none.
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

/** Why an amount may not be spent besides what is; null when it may. */
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
 * What becomes of a lane's reservation after its call: gone when it is known what the call cost,
 * else spent.
 */
export function settlementOf(call: ModelCall | undefined, failure: ModelError | undefined): 'known' | 'lost' {
  if (call === undefined || call.usage !== null || isRecording(call.model)) return 'known'
  return failure?.free ? 'known' : 'lost'
}

/** Millionths of a dollar of a call; null when its price, or what it used, is not known. */
export function costOf(
  { prices }: Pick<WorkflowDependencies, 'prices'>,
  { model, usage }: { readonly model: string; readonly usage: Usage | null },
): Promise<number | null> {
  return usage === null ? Promise.resolve(null) : prices.cost(model, usage)
}
