import { useVerifications } from '../../data/queries.ts'
import { duration } from '../../figures-text.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Pill } from '../../parts/pill.tsx'
import { RunHead } from '../../parts/run-head.tsx'
import { Time } from '../../parts/time.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { href } from '../../router.ts'
import { VerificationView } from './verification-view.tsx'

const of = { change: 'Change', merge: 'Merged result', request: 'Asked for' } as const

/** Every verdict of the gate in a Run, newest first, and the chosen one with its log. */
export function Verifications({ run, chosen }: { readonly run: string; readonly chosen: string | null }) {
  return (
    <div className="page">
      <RunHead run={run} title="Verifications" />
      <Loaded query={useVerifications(run)} what="the verifications">
        {({ verifications }) => {
          const shown = chosen ?? verifications[0]?.run_id
          return shown === undefined ? (
            <Empty icon="checks" title="Nothing has been verified yet">
              <p>The gate runs on each change in a clean checkout, and on each merged result.</p>
            </Empty>
          ) : (
            <div className="list-and-detail">
              <VirtualList
                className="pick-list tall"
                label="Verifications"
                items={verifications}
                id={({ run_id }) => run_id}
                height={92}
              >
                {(each) => (
                  <a
                    className="pick"
                    href={href('runs', run, 'verifications', each.run_id)}
                    aria-current={each.run_id === shown ? 'page' : undefined}
                    data-item
                  >
                    <span className="row">
                      <Pill state={each.status} />
                      {each.tests_remark !== null && <span className="sub">{each.tests_remark}</span>}
                      <strong>{each.story ?? of[each.of]}</strong>
                      {each.of === 'merge' && <span className="sub">merge</span>}
                    </span>
                    <span className="sub mono">{each.run_id}</span>
                    <span className="sub">
                      {each.failed_step !== null && <>failed in {each.failed_step} · </>}
                      {duration(each.duration_ms)} · <Time at={each.finished_at} />
                    </span>
                  </a>
                )}
              </VirtualList>
              <VerificationView key={shown} run={run} runId={shown} />
            </div>
          )
        }}
      </Loaded>
    </div>
  )
}
