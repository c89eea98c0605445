import type { DrydockError } from '../../domain/drydock-error.ts'
import type { Lane } from '../../domain/lane/lane.ts'
import { limits } from '../../domain/limits.ts'
import type { Amount, Cap } from '../../domain/run/budget.ts'
import { budgetOf } from '../../domain/run/run.ts'
import type { ModelError } from '../../ports/model.ts'
import type { CallAccount, CallBegun, GatewayCall, GrantedCall, RefusedCall } from '../../ports/model-gateway.ts'
import type { Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { load } from '../machines.ts'
import { noPrice } from '../run/check-prices.ts'
import type { StepDependencies } from '../step-dependencies.ts'
import { recordCall } from './record-call.ts'
import { amountOf, costOf, type InTheWay, settlementOf, whatIsInTheWay } from './reserve-call.ts'

/** The reason why a lane's calls cannot be made. */
export type Obstacle =
  | { readonly type: 'budget'; readonly cap: Cap; readonly wanted: Amount }
  | { readonly type: 'no_price'; readonly error: DrydockError }
  /** The provider refused or broke off the call, or does not answer anybody (`suspended`). */
  | { readonly type: 'provider'; readonly failure: ModelError }

/** Accounts for the calls that a foreign agent makes in a lane. */
export interface LaneAccount extends CallAccount {
  /** The obstacle of the last call; null if there is none. */
  obstacle(): Obstacle | null
}

interface Opening {
  readonly lane: Lane
  /** Prefix of the provider's model ids. */
  readonly provider: string
}

/**
 * Opens the account for a turn of the agent. Reservations that are open at this time belong to a
 * call whose process died, so its cost is unknown.
 */
export async function openCallAccount(
  deps: StepDependencies & Pick<WorkflowDependencies, 'prices'>,
  { lane, provider }: Opening,
): Promise<LaneAccount> {
  const { engine, store } = deps
  if (await store.holdsReservation(lane.id)) await engine.transact((tx) => tx.settle(lane.id, 'lost'))
  let obstacle: Obstacle | null = null

  /**
   * A budget stays the obstacle until a call starts again, since it may have cut the one that
   * failed.
   */
  function ended(failure: ModelError | null): void {
    if (obstacle === null || obstacle.type === 'provider') obstacle = failure && { type: 'provider', failure }
  }

  async function refused(inTheWay: InTheWay | 'ended', { model, wanted }: CallWish): Promise<RefusedCall> {
    if (inTheWay === 'ended') return { ok: false, because: 'ended', message: 'The turn of this agent is over.' }
    if (inTheWay === 'no_price') {
      const error = noPrice([model], budgetOf(await load(store, 'run', lane.run)))
      obstacle = { type: 'no_price', error }
      return { ok: false, because: 'no_price', message: error.message }
    }
    obstacle = { type: 'budget', cap: inTheWay.cap, wanted }
    return { ok: false, because: 'budget', message: `${capNames[inTheWay.cap]} does not have what this call may cost.` }
  }

  function granted({ reservation, model, begun, ...reserved }: HeldReservation): GrantedCall {
    let { held, room } = reserved
    const cap = begun.outputTokens ?? Number.POSITIVE_INFINITY
    let seen = Math.min(begun.outputTokens ?? limits.replyTokens, room)
    const amountFor = (outputTokens: number) => amountOf(deps, sized(model, { ...begun, outputTokens }))
    return {
      ok: true,
      outputTokens: seen,
      async extend(outputTokens) {
        // The provider enforces the cap, whatever the count by bytes says.
        seen = Math.min(outputTokens, cap)
        if (seen <= room) return true
        const amount = await amountFor(seen)
        const more = { microUsd: difference(amount.microUsd, held.microUsd), tokens: amount.tokens - held.tokens }
        const inTheWay = await engine.transact(async (tx) => {
          const found = await whatIsInTheWay(tx, { lane, amount: more })
          if (found === null) await tx.changeReservation(reservation, amount)
          return found
        })
        if (inTheWay === null) [held, room] = [amount, seen]
        else await refused(inTheWay, { model, wanted: more })
        return inTheWay === null
      },
      async end(call) {
        const { usage, failure } = call
        const [costMicroUsd, told] = await Promise.all([
          costOf(deps, { model, usage }),
          amountFor(Math.min(seen, room)),
        ])
        await engine.transact(async (tx) => {
          // The reserved rest of the answer is not spent.
          if (usage === null) await tx.changeReservation(reservation, told)
          const turn = await tx.nextTurn(lane.id)
          const row = rowOf(call, { lane, model, turn, costMicroUsd })
          await tx.settleReservation(reservation, settlementOf(row, failure ?? undefined))
          await recordCall(tx, row)
        })
        if (call.stop !== 'error' || !call.isAbandoned) ended(failure)
      },
      async withdraw(why) {
        await engine.transact((tx) => tx.settleReservation(reservation, 'known'))
        if (why !== null) ended(why)
      },
    }
  }

  return {
    obstacle: () => obstacle,
    async begin(begun, signal) {
      const model = `${provider}:${begun.model}`
      // Agents allow more tokens for an answer than a whole budget may have, and use few of them.
      const least = Math.min(begun.outputTokens ?? limits.replyTokens, limits.replyTokens)
      // Nobody can watch an answer grow that is not streamed or that is thinking: reserve its full
      // length, or let it run alone.
      const most = begun.outputTokens ?? limits.gateway.uncappedTokens
      const amountFor = (outputTokens: number) => amountOf(deps, sized(model, { ...begun, outputTokens }))
      const [wanted, roomy] = await Promise.all([amountFor(least), amountFor(most)])
      const reserve = async (tx: Transaction, amount: Amount, room: number) => {
        const inTheWay = await whatIsInTheWay(tx, { lane, amount })
        return inTheWay ?? { reservation: await tx.reserveBeside(lane, amount), held: amount, room }
      }
      for (;;) {
        const outcome = await engine.transact(async (tx) => {
          if ((await load(tx, 'lane', lane.id)).state === 'ENDED') return 'ended'
          const found = await reserve(tx, roomy, most)
          const isAlone = typeof found === 'object' && 'isWaiting' in found && !found.isWaiting
          return isAlone ? reserve(tx, wanted, least) : found
        })
        if (typeof outcome === 'object' && 'reservation' in outcome) {
          if (obstacle?.type !== 'provider') obstacle = null
          return granted({ ...outcome, model, begun })
        }
        const isWaiting = typeof outcome === 'object' && outcome.isWaiting
        if (!isWaiting || signal.aborted) return refused(outcome, { model, wanted })
        await deps.clock.sleep(limits.budgetWaitMs, { signal }).catch(() => undefined)
      }
    },
  }
}

interface CallWish {
  readonly model: string
  readonly wanted: Amount
}

interface HeldReservation {
  readonly reservation: number
  readonly model: string
  readonly begun: CallBegun
  /** The reserved amount, and the answer tokens that it covers. */
  readonly held: Amount
  readonly room: number
}

const capNames: Readonly<Record<Cap, string>> = {
  run_usd: 'The budget of this run',
  story_usd: 'The budget of this story',
  run_tokens: 'The token budget of this run',
  story_tokens: 'The token budget of this story',
}

function sized(id: string, { inputTokens, outputTokens }: CallBegun) {
  return { model: { id, ...(outputTokens !== null && { replyTokens: outputTokens }) }, tokens: inputTokens }
}

function difference(more: number | null, less: number | null): number | null {
  return more === null ? null : more - (less ?? 0)
}

interface CallRecord {
  readonly lane: Lane
  readonly model: string
  readonly turn: number
  readonly costMicroUsd: number | null
}

function rowOf(call: GatewayCall, { lane, model, turn, costMicroUsd }: CallRecord) {
  const { stop, failure, usage, startedAt, durationMs } = call
  return {
    lane: lane.id,
    turn,
    run: lane.run,
    story: lane.story,
    agent: lane.data.role,
    model,
    stop,
    error: failure && `${failure.kind}: ${failure.message}`,
    usage,
    costMicroUsd,
    startedAt: startedAt.toISOString(),
    durationMs,
  }
}
