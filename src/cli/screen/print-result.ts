import { scoutText } from '../../app/text/scout-text.ts'
import { formatDuration } from '../../domain/figures-text.ts'
import type { Json } from '../../domain/json.ts'
import { openFindings, outcomeOfResult } from '../../domain/run/outcome.ts'
import type { Result } from '../../domain/run/result.ts'
import { writtenSpecOf } from '../../domain/run/written-spec.ts'
import { lastLines } from '../../domain/text.ts'
import { describeServices } from '../../domain/verification/services-report.ts'
import { testsRemark } from '../../domain/verification/tests-seen.ts'
import type { VerifierResponse } from '../../domain/verification/verdict.ts'
import { alsoOnBase } from '../../domain/verification/why-failed.ts'
import { costLine } from './cost-line.ts'
import { outcomeLine } from './outcome-line.ts'
import type { Output } from './output.ts'
import { paintDiff } from './paint-diff.ts'
import { printPaused } from './print-paused.ts'
import { printSpec } from './print-spec.ts'
import { printUnchanged } from './print-unchanged.ts'

/** Prints the end of a Run for people: the result, and the next steps. */
export function printResult(output: Output, run: string, result: Result, logLines?: number): void {
  if (result.error) {
    output.note(`drydock: ${result.error.message}\n${result.error.todo}`)
    if (result.status !== 'DONE') return
  }
  if (isAnswer(result)) output.note(outcomeLine(output.screen, outcomeOfResult(result)))
  if (result.status === 'PAUSED') printPaused(output, run, result)
  else if (result.kind === 'verify') printVerification(output, result, logLines)
  else if (result.kind === 'scout') printAnswer(output, result)
  else if (result.kind === 'interview') printInterview(output, result)
  else if (result.kind === 'spec') printSpec(output, run, result)
  else printTask(output, run, result)
}

/** True if the answer itself goes to stdout, for programs to read. */
function isAnswer({ status, kind, answer, diff }: Result): boolean {
  return status !== 'PAUSED' && (kind === 'verify' || kind === 'scout' || Array.isArray(answer) || diff !== undefined)
}

function printTask(output: Output, run: string, result: Result): void {
  const { screen } = output
  const [story] = result.stories
  if (result.claim !== undefined) {
    printUnchanged(output, run, result, result.claim)
    return
  }
  if (result.diff !== undefined) {
    if (result.diff === '') output.note('The editor changed nothing.')
    else output.say(paintDiff(screen, result.diff))
    return
  }
  switch (result.status) {
    case 'DONE':
      output.say(`\n${screen.prose(story?.summary ?? '')}\n`)
      output.say(outcomeLine(screen, outcomeOfResult(result)))
      printChange(output, result)
      printFindings(output, run, result)
      output.say(costLine(result))
      return
    case 'STUCK':
    case 'INFRA_ERROR':
      output.say(`\n${screen.prose(story?.stuck_report ?? `${story?.error_type}: ${story?.error_message}`)}\n`)
      output.say(outcomeLine(screen, outcomeOfResult(result)))
      output.say(
        `Continue with:  ${result.status === 'STUCK' ? `drydock retry ${run} --guidance "…"` : `drydock resume ${run}`}`,
      )
      return
    default:
      output.say(outcomeLine(screen, outcomeOfResult(result)))
      output.say(`Start again with:  drydock retry ${run}`)
  }
}

function printChange({ screen, say }: Output, result: Result): void {
  const { branch, base, applied, gone, stories } = result
  const [story] = stories
  const remark = testsRemark(story?.tests)
  const passed = `${screen.paint('good', 'PASS')}${remark === null ? '' : `, ${screen.paint('bad', remark)}`}`
  const verified = `Verified:  ${passed}, run_id ${story?.run_id}`
  if (applied) {
    say(`Applied:   to the working tree, uncommitted: ${screen.clean(applied.join(', '))}`)
    say(verified)
  } else if (gone) {
    say(`Branch:    ${screen.paint('bad', gone.message)}`)
    say(verified)
    say(gone.todo)
  } else if (branch) {
    say(`Branch:    ${screen.paint('strong', branch)}`)
    say(verified)
    say(`See it:    git diff ${base?.slice(0, 8)} ${branch}`)
    if (openFindings(result).length === 0) say(`Take it:   git merge ${branch}`)
  } else {
    say('The editor changed nothing.')
    say(verified)
  }
}

function printFindings({ screen, say }: Output, run: string, result: Result): void {
  const open = openFindings(result)
  if (open.length === 0) return
  say(`Findings:  ${screen.paint('bad', `${open.length} of the gate`)}, listed above and not accepted`)
  say(`Accept:    drydock accept ${run} ${open.join(' ')}`)
}

function printAnswer(output: Output, { answer }: Result): void {
  if (answer === undefined) output.say('CANCELLED')
  else output.say(output.screen.prose(scoutText(answer as Json)))
}

function printInterview(output: Output, result: Result): void {
  const { say, screen } = output
  const spec = writtenSpecOf(result.answer)
  if (spec !== null) say(`\n${screen.prose(spec.text)}`)
  output.note(outcomeLine(screen, outcomeOfResult(result)))
  output.note(costLine(result))
}

function printVerification(output: Output, result: Result, logLines = Number.POSITIVE_INFINITY): void {
  const { screen } = output
  const answer = result.answer as VerifierResponse | null | undefined
  if (!answer) {
    output.say(result.status)
    return
  }
  if (answer.status === 'FAIL' && answer.tail_log) output.say(screen.clean(lastLines(answer.tail_log, logLines)))
  if (answer.status === 'INFRA_ERROR') output.say(screen.prose(`${answer.error_type}: ${answer.error_message}`))
  for (const { name, exit_code, duration_ms, timed_out, services = [] } of answer.manifest?.commands_executed ?? []) {
    const end = timed_out ? 'timed out' : `exit code ${exit_code ?? 'none (killed)'}`
    output.note(`  ${name}: ${end}, ${formatDuration(duration_ms)}`)
    for (const [i, line] of describeServices(services).entries()) output.note(`    ${line}, ${services[i]?.log}`)
  }
  const { flaky = [], pre_existing = [] } = answer.manifest ?? {}
  if (flaky.length > 0) output.note(`  FLAKY, failed and passed without a change: ${screen.clean(flaky.join(', '))}`)
  if (pre_existing.length > 0)
    output.note(`  failing on the base commit, too: ${screen.clean(pre_existing.join(', '))}`)
  const also = alsoOnBase(answer)
  if (also !== null) output.note(`  ${screen.clean(also)}`)
  const remark = answer.status === 'PASS' ? testsRemark(answer.manifest?.tests) : null
  // Programs read the line with the verdict, so the note goes in front of it.
  if (remark !== null) output.say(screen.paint('bad', `Note: ${remark}.`))
  output.say(`${screen.paint(answer.status === 'PASS' ? 'good' : 'bad', answer.status)} ${answer.run_id}`)
}
