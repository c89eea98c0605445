import { formatTokens } from '../../app/text/format-tokens.ts'
import { formatUsd } from '../../app/text/format-usd.ts'
import type { Result } from '../../domain/run/result.ts'

export function costLine({ cost_usd, tokens }: Result): string {
  return `Cost:      ${formatUsd(cost_usd)}, ${formatTokens(tokens)} tokens`
}
