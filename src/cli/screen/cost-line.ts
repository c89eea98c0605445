import type { Result } from '../../domain/run/result.ts'
import { formatTokens } from './format-tokens.ts'
import { formatUsd } from './format-usd.ts'

export function costLine({ cost_usd, tokens }: Result): string {
  return `Cost:      ${formatUsd(cost_usd)}, ${formatTokens(tokens)} tokens`
}
