import type { Finish } from '../../../src/api/finish.ts'
import { Pill } from '../../parts/pill.tsx'
import { href } from '../../router.ts'

interface Props {
  /** The Run of this page. */
  readonly here: string
  readonly followUps: Finish['follow_ups']
}

/** Each follow-up with its own result, independent of the Run that it follows. */
export function FollowUps({ here, followUps }: Props) {
  if (followUps.length === 0) return null
  return (
    <div className="finish-section">
      <h3>Follow-ups</h3>
      <ul className="finish-follow-ups">
        {followUps.map(({ run, title, state, ended, outcome, remarks }) => (
          <li key={run} className="finish-follow-up">
            <p className="row">
              {/* While it works, its state says more. */}
              <Pill state={ended ? outcome.code : state} label={ended ? outcome.label : undefined} />
              {run === here ? <strong>{run} (this page)</strong> : <a href={href('runs', run)}>{run}</a>}
            </p>
            <p className="ellipsis">{title}</p>
            <p className="sub">{outcome.sentence}</p>
            {remarks.length > 0 && (
              <p className="sub">
                {remarks.map(({ id, author, state: of }) => `${id} of ${author}: ${of.toLowerCase()}`).join(', ')}
              </p>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
