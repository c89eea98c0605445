import type { Budget, RoleSpending, Spending } from '../../api/spending.ts'
import type { Spending as Recorded } from '../../domain/run/budget.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Records } from '../../ports/store.ts'

/** The sum of spending that is stored by story and agent. */
export function toSpending(recorded: readonly Recorded[], toolCalls: number): Spending {
  const sum = (pick: (each: Recorded) => number) => recorded.reduce((before, each) => before + pick(each), 0)
  return {
    calls: sum(({ calls }) => calls),
    tool_calls: toolCalls,
    tokens: sum(({ input, output }) => input + output),
    cost_usd: sum(({ microUsd }) => microUsd) / 1e6,
    unpriced: sum(({ unpriced }) => unpriced),
  }
}

export function toRoleSpending(recorded: readonly Recorded[]): RoleSpending[] {
  return recorded.map(({ cacheRead, cacheWrite, microUsd, ...each }) => ({
    ...each,
    cache_read: cacheRead,
    cache_write: cacheWrite,
    cost_usd: microUsd / 1e6,
  }))
}

export async function readBudget(records: Records, { id, data: { budget } }: Run): Promise<Budget | null> {
  if (budget === null) return null
  const { microUsd, tokens, reserved, underWay } = await records.spent(id)
  return {
    run_usd: budget.runUsd,
    story_usd: budget.storyUsd,
    run_tokens: budget.runTokens,
    spent_usd: microUsd / 1e6,
    spent_tokens: tokens,
    reserved_usd: reserved.microUsd / 1e6,
    reserved_tokens: reserved.tokens,
    calls_under_way: underWay,
  }
}
