import { useState } from 'react'
import type { Land, Landing } from '../../../src/api/finish.ts'
import { plural } from '../../figures-text.ts'
import { Copy } from '../../parts/copy.tsx'
import { Time } from '../../parts/time.tsx'
import { href } from '../../router.ts'

interface Props {
  readonly landing: Landing
  /** Requests it again with the accepted findings; null if that is impossible. */
  readonly again: ((input: Land) => void) | null
}

/** The progress of a landing, or its result. */
export function LandingView({ landing, again }: Props) {
  const { state, result, refusal, at } = landing
  const tone = state === 'LANDED' ? 'done' : state === 'REFUSED' ? 'attention' : 'verifying'
  return (
    <div className={`finish-landing ${tone}`} role="status" data-landing={state}>
      <p className="row">
        <strong>{headOf(landing)}</strong>
        <span className="spread sub">
          <Time at={at} />
        </span>
      </p>
      {state !== 'LANDED' && state !== 'REFUSED' && <Progress landing={landing} />}
      {result && <Result landing={landing} result={result} />}
      {refusal && (
        <>
          <p>{refusal.message}</p>
          <p>{refusal.todo}</p>
          {landing.verification && (
            <p>
              <a href={href('runs', landing.verification.run)}>See its verification</a>
            </p>
          )}
          {refusal.findings.length > 0 && <OnMerge landing={landing} again={again} />}
        </>
      )}
    </div>
  )
}

function headOf({ goal, branch, state, result }: Landing): string {
  const to = branch ?? 'the branch'
  const words = {
    onto: {
      refused: `Not merged into ${to}`,
      goesOn: `Merging into ${to}`,
      landed: result?.moved === 'there' ? `${to} had it already` : `Merged into ${to}`,
    },
    change: {
      refused: 'No change was opened',
      goesOn: 'Opening a change',
      landed: result?.opened ? 'A change is open' : 'The change is up to date',
    },
    apply: {
      refused: 'Not applied',
      goesOn: 'Changing your files',
      landed: 'Applied to your files',
    },
  }[goal]
  return state === 'REFUSED' ? words.refused : state === 'LANDED' ? words.landed : words.goesOn
}

const phases = ['Asked for', 'Verifying the merge', 'Moving the branch'] as const

/** The steps of the landing, with the current one marked. */
function Progress({ landing: { goal, state, verification } }: Pick<Props, 'landing'>) {
  if (goal === 'apply') return null
  if (goal === 'change') return <p>The branch is pushed with its receipts, then the change is opened.</p>
  const now = state === 'REQUESTED' ? 0 : state === 'VERIFYING' ? 1 : 2
  return (
    <>
      <ol className="finish-phases">
        {phases.map((phase, i) => (
          <li key={phase} aria-current={i === now ? 'step' : undefined}>
            {phase}
          </li>
        ))}
      </ol>
      {state === 'VERIFYING' && verification !== null && (
        <p>
          <a href={href('runs', verification.run)}>Watch the verification</a>: {verification.label} You can leave this
          page; it goes on.
        </p>
      )}
    </>
  )
}

function Result({ landing, result }: Pick<Props, 'landing'> & { readonly result: NonNullable<Landing['result']> }) {
  const { sha, moved, url, number, files, problem } = result
  return (
    <>
      {files !== null && (
        <p>{plural(files, 'file')} of your working tree as verified, uncommitted: look with git diff.</p>
      )}
      {sha !== null && (
        <p className="row">
          {landing.branch} is at <Copy text={sha} shown={sha.slice(0, 10)} />
          {moved === 'merge' ? 'a merge that was verified.' : 'the verified commit.'} Nothing was pushed.
        </p>
      )}
      {url !== null && (
        <p>
          <a href={url} rel="noreferrer" target="_blank">
            Change {number}
          </a>{' '}
          has the verified commit, its receipt and its status.
        </p>
      )}
      {problem && (
        <p>
          {problem.message} {problem.todo}
        </p>
      )}
    </>
  )
}

/** Findings of the gate about the merge itself: accepting them lands it. */
function OnMerge({ landing, again }: Props) {
  const [taken, setTaken] = useState<ReadonlySet<string>>(new Set())
  const findings = landing.refusal?.findings ?? []
  const toggle = (id: string) =>
    setTaken((before) => new Set(before.has(id) ? [...before].filter((each) => each !== id) : [...before, id]))
  return (
    <fieldset className="finish-merge">
      <legend>Findings on the merge</legend>
      {findings.map(({ id, file, claim }) => (
        <label key={id} className="check">
          <input type="checkbox" checked={taken.has(id)} onChange={() => toggle(id)} />
          <span>
            <code>{file}</code> {claim} <code className="sub">{id}</code>
          </span>
        </label>
      ))}
      <button
        type="button"
        className="button"
        disabled={again === null || taken.size < findings.length}
        onClick={() => again?.({ goal: 'onto', branch: landing.branch ?? '', accept: [...taken] })}
      >
        Accept these and merge
      </button>
    </fieldset>
  )
}
