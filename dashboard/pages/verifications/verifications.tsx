import type { VerificationList } from '../../../src/api/verifications.ts'
import { formatDuration } from '../../../src/domain/figures-text.ts'
import { useVerifications } from '../../data/queries.ts'
import { FilterBar, FilterChoice } from '../../filters/filter-bar.tsx'
import { useFilter, useTextFilter } from '../../filters/use-filter.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Pill } from '../../parts/pill.tsx'
import { RunHead } from '../../parts/run-head.tsx'
import { Time } from '../../parts/time.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { href, useAskedText } from '../../router.ts'
import { stateLabel } from '../../state-family.ts'
import { VerificationView } from './verification-view.tsx'

const of = { change: 'Change', merge: 'Merged result', request: 'Asked for' } as const

const kinds = ['change', 'merge', 'request'] as const
const verdicts = ['PASS', 'FAIL', 'INFRA_ERROR'] as const

/** Every verdict of the gate in a Run, newest first, and the chosen one with its log. */
export function Verifications({ run, chosen }: { readonly run: string; readonly chosen: string | null }) {
  return (
    <div className="page">
      <RunHead run={run} title="Verifications" />
      <Loaded query={useVerifications(run)} what="the verifications">
        {({ verifications }) =>
          verifications.length === 0 ? (
            <Empty icon="checks" title="Nothing has been verified yet">
              <p>The gate runs on each change in a clean checkout, and on each merged result.</p>
            </Empty>
          ) : (
            <List run={run} chosen={chosen} verifications={verifications} />
          )
        }
      </Loaded>
    </div>
  )
}

interface ListProps extends VerificationList {
  readonly run: string
  readonly chosen: string | null
}

function List({ run, chosen, verifications }: ListProps) {
  const [status, chooseStatus] = useFilter('state', verdicts)
  const [kind, chooseKind] = useFilter('kind', kinds)
  const { matches } = useTextFilter()
  const some = verifications.filter((each) => {
    if ((status !== null && each.status !== status) || (kind !== null && each.of !== kind)) return false
    return matches(each.story, each.run_id, each.sha, each.failed_step, each.status, each.tests_remark)
  })
  const shown = chosen ?? some[0]?.run_id
  const asked = useAskedText()
  return (
    <>
      <FilterBar
        what="verifications"
        download={{ list: 'verifications', run }}
        filters={['state', 'kind']}
        shown={{ some: some.length, all: verifications.length }}
      >
        <FilterChoice
          label="Verdict"
          all="Any verdict"
          options={verdicts.map((value) => ({ value, title: stateLabel(value) }))}
          chosen={status}
          choose={chooseStatus}
        />
        <FilterChoice
          label="Kind"
          all="Any kind"
          options={kinds.map((value) => ({ value, title: of[value] }))}
          chosen={kind}
          choose={chooseKind}
        />
      </FilterBar>
      {some.length === 0 && <Empty icon="search" title="No verification is like that" />}
      <div className="list-and-detail">
        {some.length > 0 && (
          <VirtualList
            className="pick-list tall"
            label="Verifications"
            items={some}
            id={({ run_id }) => run_id}
            height={92}
          >
            {(each) => (
              <a
                className="pick"
                href={`${href('runs', run, 'verifications', each.run_id)}${asked}`}
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
                  {formatDuration(each.duration_ms)} · <Time at={each.finished_at} />
                </span>
              </a>
            )}
          </VirtualList>
        )}
        {shown !== undefined && <VerificationView key={shown} run={run} runId={shown} />}
      </div>
    </>
  )
}
