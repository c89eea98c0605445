import type { Outcome } from '../../security/attack.ts'
import { rows } from '../../security/rows.ts'
import { type Screen, wrap } from './screen.ts'

const statusWidth = 8
const mostShown = 400

/**
 * Below the name of its row, when it is the first of it: the status, the attack, and what was
 * expected and observed, in columns as wide as the screen allows.
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

/** What held has been observed word for word as it was expected. */
function inWords({ status, expected, observed, reason }: Outcome): string {
  if (status === 'not applicable') return `not applicable: ${reason}`
  if (status === 'ok') return expected
  return `expected: ${expected}\nobserved: ${observed?.slice(0, mostShown)}`
}
