import type { Plan } from '../../src/api/stories.ts'
import { InlineCode } from './inline-code.tsx'
import { Markdown } from './markdown.tsx'

/** The plan of an editor. */
export function PlanText({ plan }: { readonly plan: Plan }) {
  return (
    <div className="stack tight plan">
      <Markdown text={plan.behaviour_change} />
      <Lines title="Slices" lines={plan.slices} />
      <Lines title="Files" lines={plan.files} code />
      <Lines title="Tests" lines={plan.tests} code />
      <Lines title="Not meant" lines={plan.non_goals} />
      {plan.hypothesis && <p className="sub">Hypothesis: {plan.hypothesis}</p>}
    </div>
  )
}

interface LinesProps {
  readonly title?: string
  readonly lines: readonly string[]
  readonly code?: boolean
}

export function Lines({ title, lines, code = false }: LinesProps) {
  if (lines.length === 0) return null
  return (
    <div>
      {title && <h3>{title}</h3>}
      <ul className="bullets">
        {[...new Set(lines)].map((line) => (
          <li key={line}>{code ? <code>{line}</code> : <InlineCode text={line} />}</li>
        ))}
      </ul>
    </div>
  )
}
