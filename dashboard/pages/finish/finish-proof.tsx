import type { Finish } from '../../../src/api/finish.ts'
import type { ReceiptLine } from '../../../src/api/receipts.ts'
import { formatDuration } from '../../../src/domain/figures-text.ts'
import { plural } from '../../figures-text.ts'
import { Copy } from '../../parts/copy.tsx'
import { href } from '../../router.ts'
import { testsText } from '../receipts/tests-text.ts'

/** The verified commit, and the people who accepted findings. */
export function FinishProof({ run, finish }: { readonly run: string; readonly finish: Finish }) {
  const said = finish.receipts.find(({ commit }) => commit === finish.sha)?.said ?? null
  const accepted = finish.findings.filter(({ state }) => state === 'accepted')
  return (
    <div className="finish-fact">
      <h3>Proof</h3>
      {finish.sha !== null && (
        <p className="row">
          <span className="finish-figure">{said === null ? 'Verified' : headOf(said)}</span>
          <Copy text={finish.sha} shown={finish.sha.slice(0, 10)} />
        </p>
      )}
      {said !== null && (
        <>
          <p className="sub">{testsText(said.tests)}</p>
          <p className="sub">
            {said.steps.map(({ name, duration_ms: ms }) => `${name} (${formatDuration(ms)})`).join(', ')}
          </p>
        </>
      )}
      <p className="sub">{acceptedText(accepted, finish.verdict.holds.length > 0)}</p>
      {accepted.length > 0 && (
        <details>
          <summary>What was accepted</summary>
          <ul className="finish-files">
            {accepted.map(({ id, run: holder, claim, accepted_by: by, accepter, reason }) => (
              <li key={`${holder} ${id}`}>
                <code>{id}</code>
                <span className="grow">{claim}</span>
                <span className="sub">
                  by {accepter ?? (by === 'human' ? 'a person' : 'the architect')}
                  {reason !== null && `: ${reason}`}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {said !== null && (
        <p>
          <a href={href('runs', run, 'verifications', said.run_id)}>See the verification</a>
        </p>
      )}
    </div>
  )
}

function headOf({ status }: NonNullable<ReceiptLine['said']>): string {
  return status === 'PASS' ? 'Passed' : status.toLowerCase().replaceAll('_', ' ')
}

function acceptedText(accepted: Finish['findings'], isHeld: boolean): string {
  if (accepted.length === 0) return isHeld ? 'Nobody has accepted anything yet.' : 'Nobody had to accept anything.'
  const people = accepted.filter(({ accepted_by: by }) => by === 'human').length
  const architects = accepted.length - people
  const whom = [
    people > 0 ? `${people} by a person` : null,
    architects > 0 ? `${architects} by the architect` : null,
  ].filter((each) => each !== null)
  return `${plural(accepted.length, 'finding')} accepted: ${whom.join(', ')}.`
}
