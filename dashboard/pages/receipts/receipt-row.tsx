import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReceiptLine } from '../../../src/api/receipts.ts'
import { plural } from '../../figures-text.ts'
import { Copy } from '../../parts/copy.tsx'
import { Problem } from '../../parts/notice.tsx'
import { exactTime, Time } from '../../parts/time.tsx'
import { href } from '../../router.ts'
import { ReceiptWhole } from './receipt-whole.tsx'
import { SignatureState } from './signature-state.tsx'
import { testsText } from './tests-text.ts'
import { download } from './use-receipts.ts'

interface Props {
  readonly line: ReceiptLine
  /** True for a Run in this state; others are named without a link. */
  readonly isKnown: (run: string) => boolean
  readonly verify: () => void
  readonly isVerifying: boolean
  /** True if it was verified again since the list was loaded. */
  readonly isFresh: boolean
}

/** One commit with its proof. */
export function ReceiptRow({ line, isKnown, verify, isVerifying, isFresh }: Props) {
  const { commit, subject, at, state, fault, said, key, checked_at } = line
  const [isOpen, setOpen] = useState(false)
  const loading = useMutation({ mutationFn: () => download(commit) })
  const name = commit.slice(0, 10)
  return (
    <article className="receipt" aria-label={`Receipt of ${name}`} data-receipt={commit}>
      <header className="receipt-head">
        <SignatureState state={state} />
        <strong className="ellipsis">{subject}</strong>
        <span className="spread row sub">
          <Copy text={commit} shown={name} />
          <Time at={at} />
        </span>
      </header>
      {said !== null && <Said said={said} isProven={state === 'good'} isKnown={isKnown} />}
      {fault !== null && (
        <p className="receipt-fault">
          {fault.message} <span className="sub">{fault.todo}</span>
        </p>
      )}
      <div className="row receipt-do">
        <span className="sub receipt-checked" role={isFresh ? 'status' : undefined}>
          {isFresh ? 'Verified again' : 'Checked'} {exactTime(checked_at)}
          {key !== null && (
            <>
              , key <code>{key.slice(0, 12)}</code>
            </>
          )}
        </span>
        <span className="spread row">
          <button
            type="button"
            className="button"
            data-item
            disabled={isVerifying}
            aria-label={`${isVerifying ? 'Verifying…' : 'Verify now'}: ${name}`}
            onClick={verify}
          >
            {isVerifying ? 'Verifying…' : 'Verify now'}
          </button>
          {state !== 'not_noted' && (
            <>
              <button
                type="button"
                className="button"
                aria-label={`Download: receipt of ${name}`}
                disabled={loading.isPending}
                onClick={() => loading.mutate()}
              >
                Download
              </button>
              <button
                type="button"
                className="button quiet"
                aria-expanded={isOpen}
                aria-label={`${isOpen ? 'Less' : 'More'} of ${name}`}
                onClick={() => setOpen(!isOpen)}
              >
                {isOpen ? 'Less' : 'More'}
              </button>
            </>
          )}
        </span>
      </div>
      {loading.isError && <Problem error={loading.error} />}
      {isOpen && <ReceiptWhole commit={commit} />}
    </article>
  )
}

function Said({
  said,
  isProven,
  isKnown,
}: {
  readonly said: NonNullable<ReceiptLine['said']>
  readonly isProven: boolean
  readonly isKnown: (run: string) => boolean
}) {
  const { run, story, steps, tests, accepted, open, settled, reviewer } = said
  const { answered_by: answered, landed_anyway: anyway } = said
  const findings = [
    accepted.length > 0 ? `${accepted.length} accepted` : null,
    settled > 0 ? `${settled} settled` : null,
    open > 0 ? `${open} open` : null,
  ].filter((each) => each !== null)
  return (
    <>
      {!isProven && <p className="sub">It says the following, and nothing here proves it:</p>}
      <dl className="receipt-facts">
        <div>
          <dt>Run</dt>
          <dd>{isKnown(run) ? <a href={href('runs', run)}>{run}</a> : run}</dd>
        </div>
        <div>
          <dt>Story</dt>
          <dd>
            {story.id}: {story.title}
          </dd>
        </div>
        <div>
          <dt>Verified</dt>
          <dd>
            {said.status === 'PASS' ? 'passed' : said.status.toLowerCase()}
            {steps.length > 0 && `: ${steps.map((step) => step.name).join(', ')}`}
          </dd>
        </div>
        <div>
          <dt>Tests</dt>
          <dd>{testsText(tests)}</dd>
        </div>
        <div>
          <dt>Findings</dt>
          <dd>{findings.length === 0 ? 'none' : findings.join(', ')}</dd>
        </div>
        <div>
          <dt>Reviewed</dt>
          <dd>{reviewer === null ? 'by nobody' : reviewer.agent === 'human' ? 'by a person' : reviewer.model}</dd>
        </div>
        {answered.length > 0 && (
          <div>
            <dt>Answered</dt>
            <dd>by {answered.join(', ')}</dd>
          </div>
        )}
        {anyway !== null && (
          <div>
            <dt>Landed anyway</dt>
            <dd>
              by {anyway.by}, though held by {anyway.held_by}: {anyway.reason}
            </dd>
          </div>
        )}
      </dl>
      {accepted.length > 0 && (
        <details>
          <summary>{plural(accepted.length, 'accepted finding')}</summary>
          <ul className="bullets">
            {accepted.map(({ id, by, name, claim }) => (
              <li key={id}>
                <code>{id}</code> {claim}{' '}
                <span className="sub">(by {name ?? (by === 'human' ? 'a person' : 'the architect')})</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
