import { formatCount, formatUsd } from '../../domain/figures-text.ts'
import type { Spending } from '../../domain/run/budget.ts'
import { costsByAgent } from '../views/costs.ts'

/** One line for each agent: its tokens, the cached part of them, and their cost. */
export function agentLines(spending: readonly Spending[]): readonly string[] {
  return costsByAgent(spending).map((costs) => {
    const { agent, calls, failed, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = costs
    const made = `${calls === 1 ? '1 call' : `${calls} calls`}${failed > 0 ? ` (${failed} failed)` : ''}`
    const cached = `${formatCount(cache_read_tokens)} read from a cache, ${formatCount(cache_write_tokens)} written to it`
    const tokens = `${formatCount(input_tokens)} tokens in (${cached}), ${formatCount(output_tokens)} out`
    return `${agent}: ${formatUsd(costs.cost_usd)}, ${made}, ${tokens}`
  })
}
