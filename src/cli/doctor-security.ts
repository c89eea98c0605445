import { constants } from 'node:os'
import { extname, join } from 'node:path'
import type { Outcome } from '../security/attack.ts'
import { attackInstallation } from '../security/attack-installation.ts'
import { rows } from '../security/rows.ts'
import type { CommonOptions, Context } from './context.ts'
import type { Output } from './output.ts'
import { wrap } from './screen.ts'

/** The program itself, as it is installed. */
const command = [process.execPath, join(import.meta.dirname, `main${extname(import.meta.filename)}`)]

const interrupted = Symbol('interrupted')

/** Attacks this installation with a hostile repository of its own making. 0 when it holds, 3, as for a gate that is red, when an attack came through. */
export async function doctorSecurity({ terminal, output }: Context, { sandbox }: CommonOptions): Promise<number> {
  const stop = new AbortController()
  let exitCode = 0
  const interrupt = (signal: NodeJS.Signals) => {
    exitCode = 128 + constants.signals[signal]
    stop.abort(interrupted)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, interrupt)
  try {
    const installation = { command, env: terminal.env, flags: { ...(sandbox && { sandbox }) } }
    return await tell(output, attackInstallation(installation, stop.signal))
  } catch (error) {
    if (stop.signal.aborted) return exitCode
    throw error
  } finally {
    for (const signal of signals) process.removeListener(signal, interrupt)
  }
}

async function tell(output: Output, outcomes: AsyncIterable<Outcome>): Promise<number> {
  const begun = performance.now()
  const all: Outcome[] = []
  if (!output.json) output.say('Each attack, and what was expected and observed; where the two differ it has FAILED.')
  for await (const outcome of outcomes) {
    output.emit({ type: 'attack', ...outcome })
    if (!output.json) print(output, outcome, all.at(-1)?.row)
    all.push(outcome)
  }
  const count = (status: Outcome['status']) => all.filter((each) => each.status === status).length
  const [failed, skipped] = [count('FAILED'), count('not applicable')]
  const status = failed === 0 ? 'PASS' : 'FAIL'
  output.emit({ type: 'result', status, attacks: all.length, failed, not_applicable: skipped })
  const seconds = Math.round((performance.now() - begun) / 1_000)
  const sum = `${all.length} attacks in ${seconds} s: ${count('ok')} held, ${failed} FAILED, ${skipped} not applicable.`
  const advice =
    failed === 0
      ? ''
      : '\nDo not let agents work here until this is mended: docs/security.md says what each attack is about.'
  if (!output.json) output.say(`\n${output.screen.paint(failed === 0 ? 'good' : 'bad', sum)}${advice}`)
  return failed === 0 ? 0 : 3
}

const statusWidth = 8
const mostShown = 400

/** Below the name of its row: the status, the attack, and what was expected and observed, in columns as wide as the screen allows. */
function print({ screen, say }: Output, outcome: Outcome, rowBefore: string | undefined): void {
  const { row, attack, status } = outcome
  const width = screen.columns ?? 120
  if (row !== rowBefore) say(`\n${screen.paint('strong', screen.prose(`${row}: ${rows[row].attack}`))}`)
  const left = Math.floor((width - statusWidth - 2) * 0.55)
  const names = wrap(attack, left).split('\n')
  const seen = wrap(screen.clean(inWords(outcome)), width - statusWidth - 2 - left).split('\n')
  const shown = { ok: 'ok', FAILED: 'FAILED', 'not applicable': 'n/a' }[status]
  const mark = screen.paint(
    ({ ok: 'good', FAILED: 'bad', 'not applicable': 'faint' } as const)[status],
    shown.padEnd(statusWidth),
  )
  for (let i = 0; i < Math.max(names.length, seen.length); i += 1) {
    const words = seen[i] ?? ''
    const about = words && screen.paint(status === 'FAILED' ? 'bad' : 'faint', words)
    say(`${i === 0 ? mark : ' '.repeat(statusWidth)}${(names[i] ?? '').padEnd(left)}  ${about}`.trimEnd())
  }
}

/** What held has been observed word for word as it was expected. */
function inWords({ status, expected, observed, reason }: Outcome): string {
  if (status === 'not applicable') return `not applicable: ${reason}`
  if (status === 'ok') return expected
  return `expected: ${expected}\nobserved: ${observed?.slice(0, mostShown)}`
}
