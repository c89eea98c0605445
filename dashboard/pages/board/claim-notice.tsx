import type { RunDetail } from '../../../src/api/runs.ts'
import { AcceptButton } from '../../parts/accept-button.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { Preformatted } from '../../parts/preformatted.tsx'

/** A task that ended without a change, with its editor's explanation, which nobody has checked. */
export function ClaimNotice({ detail }: { readonly detail: RunDetail }) {
  const { run, claim, outcome } = detail
  if (claim === null) return null
  return (
    <div className="notice" role="status">
      <strong>The editor changed nothing. It says:</strong>
      <Markdown text={claim.reason} />
      {claim.evidence !== null && <Preformatted label="Evidence">{claim.evidence}</Preformatted>}
      <p>{outcome.sentence}</p>
      {outcome.code === 'NO_CHANGE' && <AcceptButton run={run} story={null} id="no_change" />}
    </div>
  )
}
