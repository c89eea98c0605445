import { formatCount, formatUsd } from '../../domain/figures-text.ts'
import { raiseFlags } from '../../domain/run/budget.ts'
import { isPausedByHand } from '../../domain/run/exit-code.ts'
import { outcomeOfResult } from '../../domain/run/outcome.ts'
import type { Result } from '../../domain/run/result.ts'
import { describeCap } from './money-lines.ts'
import { outcomeLine } from './outcome-line.ts'
import type { Output } from './output.ts'

/**
 * Prints why a Run is paused, by a human or by a budget, and the command lines that continue it.
 */
export function printPaused({ screen, say }: Output, run: string, result: Result): void {
  const { paused = [], tokens, cost_usd } = result
  say(`\n${outcomeLine(screen, outcomeOfResult(result))}`)
  if (isPausedByHand(result)) {
    say('Nothing is lost.')
    say(`So far:     ${formatUsd(cost_usd)}, ${formatCount(tokens)} tokens`)
    say(`Continue with: drydock resume ${run}`)
    return
  }
  say(`The budget of ${run} is too small for its next call. Nothing is lost.`)
  for (const { story, ...reached } of paused)
    say(screen.clean(`  ${story === null ? '' : `${story}: `}${describeCap(reached)}`))
  say(`So far:     ${formatUsd(cost_usd)}, ${formatCount(tokens)} tokens`)
  say(`Allow more: drydock budget ${run} ${raiseFlags(paused)}`)
  say('Then:       drydock resume')
}
