import type { Finish } from '../../../src/api/finish.ts'
import { plural } from '../../figures-text.ts'
import { AcceptButton } from '../../parts/accept-button.tsx'
import { Preformatted } from '../../parts/preformatted.tsx'
import { href } from '../../router.ts'

/** The findings that hold the result until somebody has accepted each of them. */
export function OpenFindings({ findings }: { readonly findings: Finish['findings'] }) {
  return (
    <div className="finish-section finish-held">
      <h3>{plural(findings.length, 'finding holds', 'findings hold')} it</h3>
      <p className="sub">
        The change is verified, and these make that worth less. Look at each. It lands once you have accepted what may
        stay.
      </p>
      <ul className="finish-findings">
        {findings.map(({ id, run, story, severity, file, line, claim, evidence }) => (
          <li key={`${run} ${id}`}>
            <div className="grow">
              <p className="row">
                <strong>{severity}</strong>
                <a
                  href={
                    story === null ? href('runs', run, 'diff', id) : href('runs', run, 'stories', story, 'diff', id)
                  }
                  title={`See ${id} in the diff`}
                >
                  <code>
                    {file}
                    {line !== null && `:${line}`}
                  </code>
                </a>
                <code className="sub">{id}</code>
              </p>
              <p>{claim}</p>
              {evidence !== '' && (
                <details>
                  <summary>Evidence</summary>
                  <Preformatted label="Evidence">{evidence}</Preformatted>
                </details>
              )}
            </div>
            <div className="finish-do">
              <AcceptButton run={run} story={story} id={id} />
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}
