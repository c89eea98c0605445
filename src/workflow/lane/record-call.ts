import type { ModelCall } from '../../ports/rows.ts'
import type { Transaction } from '../../ports/store.ts'

/** Stores the row of a call, and appends its event. */
export async function recordCall(tx: Transaction, call: ModelCall): Promise<void> {
  await tx.insertModelCall(call)
  const { run, story, turn, stop, error, usage, costMicroUsd } = call
  const lane = call.lane.slice(run.length + 1)
  const tokens = usage ? usage.input + usage.output : null
  const cost_usd = costMicroUsd === null ? null : costMicroUsd / 1e6
  const data = { lane, turn, stop, error, tokens, cost_usd, ...(call.isEstimated && { estimated: true as const }) }
  await tx.appendEvent({ run, story, type: 'model_call', data })
}
