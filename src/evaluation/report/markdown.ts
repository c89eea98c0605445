import { verdicts } from '../../domain/bench/attempt-record.ts'
import type { ArmSummary, Rate } from '../../domain/bench/summarize.ts'
import type { BenchReport } from './bench-report.ts'

/** The report for people, in Markdown. */
export function markdownOf({ suite, version, models, play, arms, tasks }: BenchReport): string {
  const worked = play === null ? models : `the solution \`${play}\`, played without a model`
  const perTask = tasks.map(({ task, verdicts: of, ...how }) => [
    task,
    titleOf(how),
    ...verdicts.map((each) => String(of[each])),
  ])
  return [
    `# ${suite}`,
    '',
    `Drydock ${version}; ${worked}. Rates have Wilson intervals of 95 %.`,
    '',
    ...table(['', ...arms.map(titleOf)], rows(arms)),
    '',
    '- *False PASS*: the gate was green, or the bare loop handed its work in, and the hidden tests are red.',
    '- *False block*: the gate held work back that the hidden tests find right. The bare loop has no gate.',
    '- *Visible hidden gap*: the hidden tests are red, of the attempts that were handed over.',
    '- *Acceptance false block*: acceptance tests held work that the hidden tests find right, of the attempts in which they ran.',
    '- *Errors*: attempts in which nothing was measured. They count in no rate; `--resume` repeats them.',
    '',
    '## By task',
    '',
    ...table(['task', 'arm', ...verdicts.map((each) => each.replace('_', ' '))], perTask),
    '',
  ].join('\n')
}

function rows(arms: readonly ArmSummary[]): readonly (readonly string[])[] {
  const row = (name: string, cell: (arm: ArmSummary) => string) => [name, ...arms.map(cell)]
  return [
    row('attempts', ({ attempts }) => String(attempts)),
    row('errors', ({ errors }) => String(errors)),
    row('resolved', ({ resolved }) => percent(resolved)),
    row('false PASS', ({ false_pass }) => percent(false_pass)),
    row('false block', ({ false_block }) => (false_block === null ? '–' : percent(false_block))),
    row('visible hidden gap', ({ visible_hidden_gap: gap }) => (gap === null ? '–' : percent(gap))),
    row('acceptance false block', ({ acceptance_false_block: held }) => (held === null ? '–' : percent(held))),
    row('questions an attempt', ({ questions }) => questions.toFixed(1)),
    row('returns from the merge queue an attempt', ({ returns }) => returns.toFixed(1)),
    row('dollars', ({ cost_usd }) => dollars(cost_usd)),
    row('dollars a resolved attempt', ({ cost_usd_per_resolved }) => dollars(cost_usd_per_resolved)),
    row('tokens', ({ tokens }) => tokens.toLocaleString('en-US')),
    row('wall time, median', ({ wall_ms }) => (wall_ms === null ? '–' : `${(wall_ms / 1_000).toFixed(1)} s`)),
  ]
}

function titleOf({ arm, acceptance }: Pick<ArmSummary, 'arm' | 'acceptance'>): string {
  return acceptance === null ? arm : `${arm}, ${acceptance} acceptance tests`
}

function percent({ hits, of, interval }: Rate): string {
  if (interval === null) return '–'
  const shown = (rate: number) => (100 * rate).toFixed(1)
  return `${shown(hits / of)} % (${hits} of ${of}; ${shown(interval.low)}–${shown(interval.high)})`
}

function dollars(usd: number | null): string {
  return usd === null ? 'not known' : usd.toFixed(2)
}

function table(head: readonly string[], body: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...body.map(line)]
}
