import type { ReactNode } from 'react'
import type { ComparedRun, Comparison } from '../../../src/api/comparison.ts'
import { count, duration, money, plural } from '../../figures-text.ts'
import { Pill } from '../../parts/pill.tsx'
import { ScrollBox } from '../../parts/scroll-box.tsx'
import { Cost } from '../../parts/spending.tsx'
import { exactTime } from '../../parts/time.tsx'
import { href } from '../../router.ts'
import { badgeOf } from '../../state-family.ts'

interface Figure {
  readonly name: string
  readonly show: (of: ComparedRun) => ReactNode
  /** The text for the last column; null if a difference would be meaningless. */
  readonly differs?: (a: ComparedRun, b: ComparedRun) => string
}

const figures: readonly Figure[] = [
  {
    name: 'Outcome',
    show: ({ run }) => <Pill state={badgeOf(run)} label={run.outcome.label} title={run.outcome.sentence} />,
  },
  { name: 'Started', show: ({ run }) => exactTime(run.started_at) },
  {
    name: 'Time',
    show: (of) => duration(of.duration_ms),
    differs: (a, b) => signed(b.duration_ms - a.duration_ms, duration),
  },
  {
    name: 'Cost',
    show: ({ run }) => <Cost of={run.spending} />,
    differs: (a, b) =>
      a.run.spending.unpriced + b.run.spending.unpriced > 0
        ? 'not known'
        : signed(b.run.spending.cost_usd - a.run.spending.cost_usd, money),
  },
  {
    name: 'Tokens',
    show: ({ run }) => count(run.spending.tokens),
    differs: (a, b) => signed(b.run.spending.tokens - a.run.spending.tokens, count),
  },
  {
    name: 'Calls',
    show: ({ run }) => `${count(run.spending.calls)} of models, ${count(run.spending.tool_calls)} of tools`,
    differs: (a, b) => signed(b.run.spending.calls - a.run.spending.calls, count),
  },
  {
    name: 'Stories done',
    show: ({ run }) => `${run.stories.done} of ${run.stories.total}`,
    differs: (a, b) => signed(b.run.stories.done - a.run.stories.done, count),
  },
  {
    name: 'Verifications',
    show: ({ verifications: { PASS, FAIL, INFRA_ERROR } }) =>
      `${PASS} green, ${FAIL} red${INFRA_ERROR > 0 ? `, ${plural(INFRA_ERROR, 'infra error')}` : ''}`,
    differs: (a, b) => signed(b.verifications.FAIL - a.verifications.FAIL, (n) => `${count(n)} red`),
  },
  { name: 'Reviews', show: ({ reviews }) => count(reviews), differs: (a, b) => signed(b.reviews - a.reviews, count) },
  {
    name: 'Findings',
    show: ({ findings }) => findingsText(findings),
    differs: (a, b) =>
      a.findings.open === b.findings.open
        ? signed(inAll(b) - inAll(a), (n) => `${count(n)} in all`)
        : signed(b.findings.open - a.findings.open, (n) => `${count(n)} open`),
  },
  {
    name: 'Change',
    show: ({ stat }) => (stat === null ? 'nothing' : `${plural(stat.files, 'file')}, +${stat.added} −${stat.removed}`),
    differs: (a, b) => signed(linesOf(b) - linesOf(a), (n) => plural(n, 'line')),
  },
]

function inAll({ findings: { open, accepted, closed } }: ComparedRun): number {
  return open + accepted + closed
}

function linesOf({ stat }: ComparedRun): number {
  return stat === null ? 0 : stat.added + stat.removed
}

export function findingsText({ open, accepted, closed }: ComparedRun['findings']): string {
  if (open + accepted + closed === 0) return 'none'
  const parts = [open > 0 && `${open} open`, accepted > 0 && `${accepted} accepted`, closed > 0 && `${closed} settled`]
  return parts.filter(Boolean).join(', ')
}

/** A text such as `+2`, or `same`. */
export function signed(difference: number, text: (amount: number) => string): string {
  if (difference === 0) return 'same'
  return `${difference > 0 ? '+' : '−'}${text(Math.abs(difference))}`
}

export function RunsCompared({ comparison: { a, b } }: { readonly comparison: Comparison }) {
  return (
    <ScrollBox label="The two runs">
      <table className="table compare-table">
        <thead>
          <tr>
            <td />
            <th scope="col">
              <RunName of={a} />
            </th>
            <th scope="col">
              <RunName of={b} />
            </th>
            <th scope="col">Second to first</th>
          </tr>
        </thead>
        <tbody>
          {figures.map(({ name, show, differs }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{show(a)}</td>
              <td>{show(b)}</td>
              <td>
                <Difference text={differs?.(a, b) ?? ''} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

function Difference({ text }: { readonly text: string }) {
  return text === 'same' ? <span className="sub">same</span> : <strong>{text}</strong>
}

function RunName({ of: { run } }: { readonly of: ComparedRun }) {
  return (
    <>
      <a href={href('runs', run.run)} data-item>
        {run.title}
      </a>
      <code className="compare-id">{run.run}</code>
    </>
  )
}
