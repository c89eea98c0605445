import type { ComparedStory, Comparison } from '../../../src/api/comparison.ts'
import { count, duration, plural } from '../../figures-text.ts'
import { Empty } from '../../parts/notice.tsx'
import { Pill } from '../../parts/pill.tsx'
import { Cost } from '../../parts/spending.tsx'
import { href } from '../../router.ts'
import { stateLabel } from '../../state-family.ts'
import { findingsText } from './compared-runs.tsx'

/** The stories of both Runs in pairs. */
export function StoriesCompared({ comparison: { a, b, stories } }: { readonly comparison: Comparison }) {
  return (
    <section className="stack tight" aria-label="Stories side by side">
      <h2>Stories</h2>
      {stories.length === 0 ? (
        <Empty icon="board" title="Neither run has stories" />
      ) : (
        <ul className="compare-stories">
          {stories.map((pair) => (
            <li key={`${pair.a?.id} ${pair.b?.id}`} className="card" data-pair={pair.a?.id ?? pair.b?.id}>
              <h3>{pair.title}</h3>
              <div className="compare-pair">
                <Story label="First run" run={a.run.run} story={pair.a} />
                <Story label="Second run" run={b.run.run} story={pair.b} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

interface Props {
  readonly label: string
  readonly run: string
  readonly story: ComparedStory | null
}

function Story({ label, run, story }: Props) {
  if (story === null) {
    return (
      <div className="compare-story none">
        <span className="sub">{label}</span>
        <p className="sub">It has no such story.</p>
      </div>
    )
  }
  const { id, state, verdicts, reviews, findings, claims, tokens, duration_ms } = story
  return (
    <div className="compare-story">
      <span className="sub">{label}</span>
      <p className="row">
        <Pill state={state} />
        <a className="mono" href={href('runs', run, 'stories', id)} data-item>
          {id}
        </a>
      </p>
      <dl className="compare-facts">
        <div>
          <dt>Cost</dt>
          <dd>
            <Cost of={story} />, {count(tokens)} tokens
          </dd>
        </div>
        <div>
          <dt>Time</dt>
          <dd>{duration_ms === null ? 'not begun' : duration(duration_ms)}</dd>
        </div>
        <div>
          <dt>Verdicts</dt>
          <dd>{verdicts.length === 0 ? 'none' : verdicts.map(stateLabel).join(', ')}</dd>
        </div>
        <div>
          <dt>Reviews</dt>
          <dd>{reviews}</dd>
        </div>
        <div>
          <dt>Findings</dt>
          <dd>{findingsText(findings)}</dd>
        </div>
      </dl>
      {claims.length > 0 && (
        <details>
          <summary>
            {plural(claims.length, 'finding')} of {label.toLowerCase()}
          </summary>
          <ul className="bullets">
            {claims.map((finding) => (
              <li key={finding.id}>
                <strong>{finding.state === 'closed' ? 'settled' : finding.state}</strong> · {finding.severity} ·{' '}
                <code>{finding.file}</code> {finding.claim}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}
