import type { Outcome } from '../../security/attack.ts'
import { rows } from '../../security/rows.ts'
import { type Screen, wrap } from './screen.ts'

const statusWidth = 8
const mostShown = 400

/**
 * Formats the outcome of an attack in columns that fit the screen: the status, the attack, the
 * expectation and the observation. The first outcome of a row has the row's name above it.
 */
export function describeOutcome(screen: Screen, outcome: Outcome, rowBefore?: string): string {
  const { row, attack, status } = outcome
  const width = screen.columns ?? 120
  const heading = row === rowBefore ? [] : ['', screen.paint('strong', screen.prose(`${row}: ${rows[row].attack}`))]
  const left = Math.floor((width - statusWidth - 2) * 0.55)
  const names = wrap(attack, left).split('\n')
  const seen = wrap(screen.clean(inWords(outcome)), width - statusWidth - 2 - left).split('\n')
  const shown = { ok: 'ok', FAILED: 'FAILED', 'not applicable': 'n/a' }[status]
  const mark = screen.paint(
    ({ ok: 'good', FAILED: 'bad', 'not applicable': 'faint' } as const)[status],
    shown.padEnd(statusWidth),
  )
  const lines = Array.from({ length: Math.max(names.length, seen.length) }, (_, i) => {
    const words = seen[i] ?? ''
    const about = words && screen.paint(status === 'FAILED' ? 'bad' : 'faint', words)
    return `${i === 0 ? mark : ' '.repeat(statusWidth)}${(names[i] ?? '').padEnd(left)}  ${about}`.trimEnd()
  })
  return [...heading, ...lines].join('\n')
}

/** The observation. If the attack was repelled, it is the expectation word for word. */
function inWords({ status, expected, observed, reason }: Outcome): string {
  if (status === 'not applicable') return `not applicable: ${reason}`
  if (status === 'ok') return expected
  return `expected: ${expected}\nobserved: ${observed?.slice(0, mostShown)}`
}
