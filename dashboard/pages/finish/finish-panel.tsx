import type { RunDetail } from '../../../src/api/runs.ts'
import { plural } from '../../figures-text.ts'
import { Copy } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Problem } from '../../parts/notice.tsx'
import { href } from '../../router.ts'
import { ByHand } from './by-hand.tsx'
import { FinishProof } from './finish-proof.tsx'
import { FinishReceipt } from './finish-receipt.tsx'
import { FinishStat } from './finish-stat.tsx'
import { FollowUps } from './follow-ups.tsx'
import { HoldingComments } from './holding-comments.tsx'
import { OpenFindings } from './open-findings.tsx'
import { useFinish } from './use-finish.ts'
import { WaysOut } from './ways-out.tsx'
import './finish.css'

/** The result of a Run, its proof, and the ways to hand it over. */
export function FinishPanel({ detail }: { readonly detail: RunDetail }) {
  const query = useFinish(detail.run)
  if (query.isError && query.data === undefined)
    return <Problem error={query.error} retry={() => void query.refetch()} />
  // The page below is complete without this panel, and a placeholder for a missing one would make
  // it jump.
  if (query.data === undefined) return null
  const finish = query.data
  if (finish.branch === null && finish.applied === null) return null
  const open = finish.findings.filter(({ state }) => state === 'open')
  const said = finish.verdict.holds.filter(({ kind }) => kind !== 'finding')
  return (
    <section className="card finish" aria-labelledby="finish-title">
      <div className="card-head">
        <h2 id="finish-title">{finish.verdict.title}</h2>
        {finish.branch !== null && (
          <span className="spread row sub finish-branch">
            <Icon name="branch" />
            <Copy text={finish.branch} />
          </span>
        )}
      </div>
      {finish.verdict.of_run !== null && (
        <p className="finish-section">
          <span>
            What is below was built by <a href={href('runs', finish.run)}>{finish.run}</a>: {finish.verdict.of_run}
          </span>
        </p>
      )}
      {open.length > 0 && <OpenFindings findings={open} />}
      {said.length > 0 && <HoldingComments here={detail.run} run={finish.run} holds={said} />}
      <FollowUps here={detail.run} followUps={finish.follow_ups} />
      <div className="finish-facts">
        {finish.stat && <FinishStat run={detail.run} stat={finish.stat} />}
        <FinishProof run={detail.run} finish={finish} />
        <FinishReceipt finish={finish} />
      </div>
      {finish.applied !== null && <Applied files={finish.applied} />}
      {finish.repositories !== null ? (
        <ByHand repositories={finish.repositories} />
      ) : (
        finish.branch !== null && finish.sha !== null && <WaysOut finish={finish} branch={finish.branch} />
      )}
    </section>
  )
}

function Applied({ files }: { readonly files: readonly string[] }) {
  return (
    <div className="finish-section">
      <h3>In your working tree</h3>
      <p>
        {plural(files.length, 'file')} {files.length === 1 ? 'was' : 'were'} changed there and not committed, as you
        asked for. Look at them, and commit them yourself:
      </p>
      <Copy text="git diff" />
    </div>
  )
}
