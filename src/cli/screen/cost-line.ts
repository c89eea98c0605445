import { formatCount, formatUsd } from '../../domain/figures-text.ts'
import type { Result } from '../../domain/run/result.ts'

export function costLine({ cost_usd, tokens }: Result): string {
  return `Cost:      ${formatUsd(cost_usd)}, ${formatCount(tokens)} tokens`
}
