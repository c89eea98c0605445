import { type Claim, claimText } from '../../domain/claim.ts'
import { outcomeOfResult } from '../../domain/run/outcome.ts'
import type { Result } from '../../domain/run/result.ts'
import { testsRemark } from '../../domain/verification/tests-seen.ts'
import { costLine } from './cost-line.ts'
import { outcomeLine } from './outcome-line.ts'
import type { Output } from './output.ts'

/**
 * Prints the end of a task without changes: the editor's claim, the gate's result on the base, and
 * how a person can decide.
 */
export function printUnchanged({ screen, say }: Output, run: string, result: Result, claim: Claim): void {
  say(`\n${screen.prose(claimText(claim))}\n`)
  if (result.diff === undefined) say(outcomeLine(screen, outcomeOfResult(result)))
  say(`Verified:  ${baseLine(result)}`)
  if (result.status === 'NO_CHANGE') {
    say(`Continue with: drydock retry ${run} --guidance "…"`)
    say(`Accept it:  drydock accept ${run} no_change`)
  } else {
    say('Accepted:  nothing needs to change')
  }
  say(costLine(result))
}

function baseLine({ stories: [story] }: Result): string {
  if (story?.verdict == null) return 'nothing: this was a dry run'
  const remark = story.verdict === 'PASS' ? testsRemark(story.tests) : null
  return `the base as it is: ${[story.verdict, remark, `run_id ${story.run_id}`].filter(Boolean).join(', ')}`
}
