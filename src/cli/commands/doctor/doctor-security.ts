import { stat } from 'node:fs/promises'
import { usage } from '../../../app/usage.ts'
import { scripts } from '../../../processes/installation.ts'
import type { Attack, Outcome } from '../../../security/attack.ts'
import { attackInstallation } from '../../../security/attack-installation.ts'
import { attacks } from '../../../security/attacks.ts'
import { lookInside } from '../../../security/inherited-folder.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { open } from '../../open.ts'
import { describeOutcome } from '../../screen/describe-outcome.ts'
import type { Output } from '../../screen/output.ts'
import { untilInterrupted } from '../until-interrupted.ts'

/** The command line of this installed program. */
const command = [process.execPath, scripts.program]

/**
 * Attacks this installation with a hostile repository that it makes itself. The exit code is 0 when
 * every attack fails, and 3, as for a red gate, when one succeeds.
 */
export async function doctorSecurity(
  { terminal, output }: Context,
  { sandbox }: CommonOptions,
  tried: readonly Attack[] = attacks,
): Promise<number> {
  const installation = { command, env: terminal.env, flags: { ...(sandbox && { sandbox }) } }
  return untilInterrupted((signal) => tell(output, attackInstallation(installation, tried, signal)))
}

/**
 * Prints this process's view from inside a sandbox that shows a folder. The process was started by
 * an attack.
 */
export async function showInside(context: Context, folder: string, options: CommonOptions): Promise<number> {
  if (!(await stat(folder).catch(() => null))?.isDirectory())
    throw usage(`There is no folder ${folder}.`, 'Name one that a sandbox is to show.')
  const { sandbox } = await open(context, options)
  context.output.say(await lookInside(sandbox, folder))
  return 0
}

async function tell(output: Output, outcomes: AsyncIterable<Outcome>): Promise<number> {
  const begun = performance.now()
  const all: Outcome[] = []
  if (!output.json) output.say('Each attack with its expected and its observed result. It FAILED where the two differ.')
  for await (const outcome of outcomes) {
    output.emit({ type: 'attack', ...outcome })
    if (!output.json) output.say(describeOutcome(output.screen, outcome, all.at(-1)?.row))
    all.push(outcome)
  }
  const count = (status: Outcome['status']) => all.filter((each) => each.status === status).length
  const [failed, skipped] = [count('FAILED'), count('not applicable')]
  const status = failed === 0 ? 'PASS' : 'FAIL'
  output.emit({ type: 'result', status, attacks: all.length, failed, not_applicable: skipped })
  const seconds = Math.round((performance.now() - begun) / 1_000)
  const sum = `${all.length} attacks in ${seconds} s: ${count('ok')} held, ${failed} FAILED, ${skipped} not applicable.`
  const advice =
    failed === 0 ? '' : '\nDo not let agents work here until this is fixed. docs/security.md explains each attack.'
  if (!output.json) output.say(`\n${output.screen.paint(failed === 0 ? 'good' : 'bad', sum)}${advice}`)
  return failed === 0 ? 0 : 3
}
