import type { RunDetail } from '../../../src/api/runs.ts'
import { Empty } from '../../parts/notice.tsx'
import { ReportValue } from '../story/report-value.tsx'
import { TimelineView } from '../story/timeline-view.tsx'
import { Fact, Facts, Taken } from './facts.tsx'
import '../../styles/kinds.css'

const scouts: Readonly<Record<string, string>> = { codebase: 'Codebase scout', build: 'Build scout' }

/** A question to a scout, its answer, and the calls that led to it. */
export function ScoutView({ detail }: { readonly detail: RunDetail }) {
  const { request, answer, ended_at, outcome, models } = detail
  return (
    <>
      <Facts>
        <Fact name="Asked">
          <span className="small-value">{scouts[request.source ?? ''] ?? 'Scout'}</span>
        </Fact>
        <Taken detail={detail} />
        {models && (
          <Fact name="Model">
            <code className="small-value">{models.scout}</code>
          </Fact>
        )}
      </Facts>
      <section className="card" aria-labelledby="scout-question">
        <div className="card-head">
          <h2 id="scout-question">{request.text}</h2>
        </div>
        <div className="card-body scout-answer">
          {isError(answer) ? (
            <div className="problem">
              <strong>{answer.error_type.replaceAll('_', ' ')}</strong>
              <p>{answer.error_message}</p>
            </div>
          ) : answer !== null && answer !== undefined ? (
            <ReportValue value={answer} />
          ) : (
            <Empty icon="search" title={ended_at === null ? 'The scout looks around' : outcome.sentence}>
              {ended_at === null && <p>What it reads is below. Its report will appear here.</p>}
            </Empty>
          )}
        </div>
      </section>
      <section className="stack tight kind-calls" aria-labelledby="scout-calls">
        <h2 id="scout-calls">How it looked</h2>
        <TimelineView run={detail.run} story={null} />
      </section>
    </>
  )
}

interface ScoutFailure {
  readonly error_type: string
  readonly error_message: string
}

function isError(answer: unknown): answer is ScoutFailure {
  return typeof answer === 'object' && answer !== null && 'error_type' in answer
}
