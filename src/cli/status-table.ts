import { limits } from '../domain/limits.ts'
import { type Screen, type Tone, widthOf } from './screen.ts'
import { formatTokens } from './storyline.ts'

/** One Run as `drydock status` shows it. */
export interface StatusLine {
  readonly run: string
  readonly state: string
  /** State of its story. */
  readonly story: string | null
  readonly attempt: number | null
  /** PASS, FAIL or INFRA_ERROR of a verification that was asked for alone. */
  readonly verdict: string | null
  readonly title: string
  readonly branch: string | null
  readonly error: string | null
  readonly tokens: number
}

const tones: Readonly<Record<string, Tone>> = {
  ...{ DONE: 'good', PASS: 'good', FAIL: 'bad', STUCK: 'bad', INFRA_ERROR: 'bad', ERROR: 'bad' },
}

/** Runs in columns; the last column takes what is left of the width. */
export function statusTable(screen: Screen, lines: readonly StatusLine[]): string {
  const rows = lines.map((line) => [line.run, stateOf(line), formatTokens(line.tokens)] as const)
  const head = ['RUN', 'STATE', 'TOKENS'] as const
  const [run = 0, state = 0, tokens = 0] = head.map((name, i) =>
    Math.max(widthOf(name), ...rows.map((row) => widthOf(row[i] ?? ''))),
  )
  const columns = (row: readonly [string, string, string], tone: Tone) =>
    `${row[0].padEnd(run)}  ${screen.paint(tone, row[1].padEnd(state))}  ${row[2].padStart(tokens)}  `
  const used = run + state + tokens + 6
  const table = rows.map((row, i) => {
    const line = lines[i] as StatusLine
    const [about = ''] = (line.error ?? line.branch ?? line.title).split('\n')
    return `${columns(row, tones[line.verdict ?? line.state] ?? 'strong')}${screen.fit(about, used)}`
  })
  const unfinished = lines.some((line) => line.state === 'INTERRUPTED' || line.state === 'ERROR')
  return [
    screen.paint('faint', `${columns(head, 'plain')}BRANCH OR TASK`),
    ...table,
    ...(unfinished ? ['\nGo on with what is unfinished:  drydock resume'] : []),
  ].join('\n')
}

function stateOf({ state, story, attempt, verdict }: StatusLine): string {
  if (verdict !== null) return verdict
  return story !== null && state === 'MONITORING' ? `${story} ${attempt}/${limits.verifyLoops}` : state
}
