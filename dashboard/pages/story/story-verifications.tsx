import { useState } from 'react'
import type { StoryDetail } from '../../../src/api/stories.ts'
import { Empty } from '../../parts/notice.tsx'
import { VerificationRow } from '../verifications/verification-row.tsx'
import { VerificationView } from '../verifications/verification-view.tsx'

/** The gate's verdict about each change, newest first, with the chosen one's log. */
export function StoryVerifications({ run, detail }: { readonly run: string; readonly detail: StoryDetail }) {
  const newest = detail.runs.toReversed()
  const [chosen, setChosen] = useState<string | null>(null)
  const shown = chosen ?? newest[0]?.run_id ?? null
  if (shown === null) {
    return (
      <Empty icon="checks" title="Not verified yet">
        <p>Each change that the editor hands in is verified in a clean checkout. Results and logs appear here.</p>
      </Empty>
    )
  }
  return (
    <div className="list-and-detail">
      <ul className="pick-list">
        {newest.map(({ run_id, status, of, finished_at, duration_ms }, i) => (
          <li key={run_id}>
            <VerificationRow
              title={of === 'merge' ? 'Merged result' : `Attempt ${newest.length - i}`}
              status={status}
              runId={run_id}
              finishedAt={finished_at}
              durationMs={duration_ms}
              current={run_id === shown}
              choose={() => setChosen(run_id)}
            />
          </li>
        ))}
      </ul>
      <VerificationView key={shown} run={run} runId={shown} />
    </div>
  )
}
