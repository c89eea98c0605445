import type { ScoutReport, StoryDetail } from '../../../src/api/stories.ts'
import { Empty } from '../../parts/notice.tsx'
import { Pill } from '../../parts/pill.tsx'
import { ReportValue } from './report-value.tsx'

/** The editor's questions to scouts, and their reports. */
export function Scouts({ detail }: { readonly detail: StoryDetail }) {
  if (detail.scouts.length === 0) {
    return (
      <Empty icon="agents" title="No scout has been asked yet">
        <p>An editor asks a scout where something is in the code, or how it is built and tested.</p>
      </Empty>
    )
  }
  return (
    <div className="stack">
      {detail.scouts.toReversed().map((report) => (
        <Report key={report.id} report={report} />
      ))}
    </div>
  )
}

function Report({ report: { scout, question, state, attempt, problems, report } }: { readonly report: ScoutReport }) {
  return (
    <section className="card">
      <div className="card-head">
        <h2>{scout === 'codebase' ? 'Codebase scout' : 'Build scout'}</h2>
        <Pill state={state} />
        {attempt > 1 && <span className="sub">try {attempt} of 3</span>}
      </div>
      <div className="card-body">
        <p>
          <strong>{question}</strong>
        </p>
        {problems.length > 0 && (
          <ul className="bullets sub">
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        )}
        {report !== null && <ReportValue value={report} />}
      </div>
    </section>
  )
}
