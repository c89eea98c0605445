import { useState } from 'react'
import type { Verification } from '../../../src/api/verifications.ts'
import { useLog, useVerification } from '../../data/queries.ts'
import { duration } from '../../figures-text.ts'
import { Copy } from '../../parts/copy.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { LogView } from '../../parts/log-view.tsx'
import { Pill } from '../../parts/pill.tsx'
import { href } from '../../router.ts'
import { GateFacts } from './gate-facts.tsx'
import { VerificationFiles } from './verification-files.tsx'

/** One verification: its commands, failed ones first, and their logs. */
export function VerificationView({ run, runId }: { readonly run: string; readonly runId: string }) {
  return (
    <Loaded query={useVerification(runId)} what="the verification">
      {(verification) => <Detail run={run} verification={verification} />}
    </Loaded>
  )
}

function Detail({ run, verification }: { readonly run: string; readonly verification: Verification }) {
  const [step, setStep] = useState<string | null>(null)
  const log = useLog(verification.run_id, step)
  const { manifest, sha, story, status, error_message, error_type } = verification
  const steps = (manifest?.commands_executed ?? []).map((command, i) => ({
    ...command,
    log: `step-${String(i + 1).padStart(2, '0')}-${command.name}`,
  }))
  const failed = ({ exit_code }: { readonly exit_code: number | null }) => (exit_code === 0 ? 1 : 0)
  return (
    <section className="stack" aria-label={verification.run_id}>
      <p className="row">
        <Pill state={status} />
        {verification.tests_remark !== null && <strong>{verification.tests_remark}</strong>}
        <Copy text={verification.run_id} />
        <span className="sub">commit</span>
        <Copy text={sha} shown={sha.slice(0, 10)} />
        {story !== null && <a href={href('runs', run, 'stories', story)}>{story}</a>}
        {manifest && (
          <span className="sub">
            {manifest.platform.os} {manifest.platform.arch}, {manifest.platform.sandbox}
          </span>
        )}
      </p>
      {error_message !== null && (
        <div className="problem">
          <strong>{error_type?.replaceAll('_', ' ')}</strong>
          <p>{error_message}</p>
        </div>
      )}
      {manifest && <GateFacts manifest={manifest} assurance={verification.assurance} />}
      {steps.length > 0 && (
        <div className="steps">
          <button type="button" className="step" aria-pressed={step === null} onClick={() => setStep(null)}>
            <strong>All output</strong>
          </button>
          {steps
            .toSorted((a, b) => failed(a) - failed(b))
            .flatMap((each) => [
              <button
                key={each.log}
                type="button"
                className={`step ${each.exit_code === 0 ? 'done' : 'attention'}`}
                aria-pressed={step === each.log}
                title={each.command}
                onClick={() => setStep(each.log)}
              >
                <span className="dot" aria-hidden="true" />
                <strong>{each.name}</strong>
                <code>{each.command}</code>
                <span className="sub">
                  {each.timed_out ? 'timed out' : `exit ${each.exit_code}`} · {duration(each.duration_ms)}
                </span>
              </button>,
              ...(each.services ?? []).map((service) => (
                <ServiceButton key={service.log} service={service} chosen={step} onChoose={setStep} />
              )),
            ])}
        </div>
      )}
      <VerificationFiles runId={verification.run_id} />
      <Loaded query={log} what="the log">
        {({ text, from, skipped }) => (
          <>
            {from === 'tail' && (
              <p className="sub">The files of this verification were removed. This is the part that was kept.</p>
            )}
            <LogView text={text} label={verification.run_id} skipped={skipped} isGreen={status === 'PASS'} />
          </>
        )}
      </Loaded>
    </section>
  )
}

interface ServiceProps {
  readonly service: NonNullable<NonNullable<Verification['manifest']>['commands_executed'][number]['services']>[number]
  readonly chosen: string | null
  readonly onChoose: (log: string) => void
}

/** A service of the step above; its log is one of the verification's. */
function ServiceButton({ service, chosen, onChoose }: ServiceProps) {
  const log = service.log.replace(/^logs\//, '').replace(/\.log$/, '')
  return (
    <button type="button" className="step" aria-pressed={chosen === log} onClick={() => onChoose(log)}>
      <span className="sub">service</span>
      <strong>{service.name}</strong>
      <span className="sub">
        ready after {duration(service.ready_ms)}
        {service.exit_code !== null && ` · ended with ${service.exit_code}`}
      </span>
    </button>
  )
}
