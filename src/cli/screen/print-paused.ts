import { raiseFlags } from '../../domain/run/budget.ts'
import type { Result } from '../../domain/run/result.ts'
import { isPausedByHand } from '../exit-code.ts'
import { formatTokens } from './format-tokens.ts'
import { formatUsd } from './format-usd.ts'
import { describeCap } from './money-lines.ts'
import type { Output } from './output.ts'

/** A human has paused it, or a budget is reached: which, for whom; and the lines that go on. */
export function printPaused({ screen, say }: Output, run: string, result: Result): void {
  const { paused = [], tokens, cost_usd } = result
  if (isPausedByHand(result)) {
    say(`\n${screen.paint('bad', 'PAUSED')}: ${run} was paused by hand; nothing of it is lost.`)
    say(`So far:     ${formatUsd(cost_usd)}, ${formatTokens(tokens)} tokens`)
    say(`Go on with: drydock resume ${run}`)
    return
  }
  say(`\n${screen.paint('bad', 'PAUSED')}: the budget of ${run} has no room for its next call; nothing of it is lost.`)
  for (const { story, ...reached } of paused)
    say(screen.clean(`  ${story === null ? '' : `${story}: `}${describeCap(reached)}`))
  say(`So far:     ${formatUsd(cost_usd)}, ${formatTokens(tokens)} tokens`)
  say(`Allow more: drydock budget ${run} ${raiseFlags(paused)}`)
  say('Then:       drydock resume')
}
