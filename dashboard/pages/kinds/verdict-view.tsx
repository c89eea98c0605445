import type { RunDetail } from '../../../src/api/runs.ts'
import type { VerificationList } from '../../../src/api/verifications.ts'
import { useVerification, useVerifications } from '../../data/queries.ts'
import { plural } from '../../figures-text.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty } from '../../parts/notice.tsx'
import { VerificationView } from '../verifications/verification-view.tsx'
import { Fact, Facts, Taken } from './facts.tsx'
import '../../styles/kinds.css'

/** A verification that was requested on its own: its verdict and its evidence. */
export function VerdictView({ detail }: { readonly detail: RunDetail }) {
  return (
    <Loaded query={useVerifications(detail.run)} what="the verification">
      {({ verifications: [last] }) => (last ? <Verdict detail={detail} last={last} /> : <NoVerdict detail={detail} />)}
    </Loaded>
  )
}

function NoVerdict({ detail }: { readonly detail: RunDetail }) {
  const { ended_at, outcome, request } = detail
  return (
    <>
      <Facts>
        <Taken detail={detail} />
      </Facts>
      <Empty icon="checks" title={ended_at === null ? 'The gate is at work' : outcome.sentence}>
        {ended_at === null && (
          <p>
            It checks out <code>{request.text}</code> by itself and runs the steps of the configuration. Its verdict and
            its logs will appear here.
          </p>
        )}
      </Empty>
    </>
  )
}

interface Props {
  readonly detail: RunDetail
  readonly last: VerificationList['verifications'][number]
}

function Verdict({ detail, last }: Props) {
  const { data } = useVerification(last.run_id)
  const manifest = data?.manifest
  const steps = manifest?.commands_executed ?? []
  const failing = manifest?.failing ?? []
  const red = steps.filter(({ exit_code }) => exit_code !== 0)
  return (
    <>
      <h2 className={`verdict ${detail.outcome.tone}`}>
        {detail.outcome.sentence}
        {red.length > 0 && <span> Not ended with 0: {red.map(({ name }) => name).join(', ')}.</span>}
        {failing.length > 0 && <span> {plural(failing.length, 'test')} failed.</span>}
      </h2>
      <Facts>
        <Fact name="Steps">
          {steps.length - red.length} <small>of {plural(steps.length, 'step')} ended with 0</small>
        </Fact>
        <Fact name="Tests">
          {manifest?.tests ? (
            <>
              {manifest.tests.passed}{' '}
              <small>
                passed, {manifest.tests.failed} failed, {manifest.tests.skipped} skipped
              </small>
            </>
          ) : (
            <small>no results were read</small>
          )}
        </Fact>
        <Fact name="Findings">
          {manifest?.integrity?.findings.length ?? 0} <small>of the gate</small>
        </Fact>
        <Taken detail={detail} />
      </Facts>
      <VerificationView run={detail.run} runId={last.run_id} />
    </>
  )
}
