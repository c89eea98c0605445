import type { VerifierResponse } from '../domain/verdict.ts'
import type { Result } from './exit-code.ts'
import type { Output } from './output.ts'

/** The end of a Run for people: what they have now, and what to do next. */
export function printResult(output: Output, run: string, result: Result): void {
  if (result.error) {
    output.note(`drydock: ${result.error.message}\n${result.error.todo}`)
    if (result.status !== 'DONE') return
  }
  if (result.kind === 'verify') printVerification(output, result)
  else if (result.kind === 'scout') output.say(JSON.stringify(result.answer, null, 2))
  else printTask(output, run, result)
}

function printTask(output: Output, run: string, result: Result): void {
  const [story] = result.stories
  if (result.diff !== undefined) {
    output.say(result.diff.replace(/\n$/, ''))
    return
  }
  switch (result.status) {
    case 'DONE': {
      output.say(`\n${story?.summary ?? ''}\n`)
      if (result.applied) output.say(`Applied to the working tree, uncommitted: ${result.applied.join(', ')}`)
      else if (result.branch) {
        output.say(`Branch ${result.branch} (run_id ${story?.run_id})`)
        output.say(`See it:  git diff ${result.base?.slice(0, 12)} ${result.branch}`)
        output.say(`Take it: git merge ${result.branch}`)
      } else output.say(`Nothing had to be changed (run_id ${story?.run_id}).`)
      return
    }
    case 'STUCK':
    case 'INFRA_ERROR':
      output.say(`\n${story?.stuck_report ?? `${story?.error_type}: ${story?.error_message}`}\n`)
      output.say(`Go on with: drydock retry ${run} --guidance "…"`)
      return
    default:
      output.say(`${result.status}: ${run}; its work is kept. Start again with: drydock retry ${run}`)
  }
}

function printVerification(output: Output, result: Result): void {
  const answer = result.answer as VerifierResponse | null | undefined
  if (!answer) {
    output.say(result.status)
    return
  }
  if (answer.status === 'FAIL' && answer.tail_log) output.say(answer.tail_log)
  if (answer.status === 'INFRA_ERROR') output.say(`${answer.error_type}: ${answer.error_message}`)
  for (const { name, exit_code, duration_ms, timed_out } of answer.manifest?.commands_executed ?? []) {
    const end = timed_out ? 'timed out' : `exit code ${exit_code ?? 'none (killed)'}`
    output.note(`  ${name}: ${end}, ${(duration_ms / 1_000).toFixed(1)} s`)
  }
  output.say(`${answer.status} ${answer.run_id}`)
}
