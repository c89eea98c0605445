import type { RemarkAnswer } from '../../../src/api/remarks.ts'
import { href } from '../../router.ts'
import { whom } from '../waits-for-answer.ts'
import { draftReview } from './draft-review.ts'
import { threadsOf } from './talk.ts'
import { RemarkCard, Replies } from './talk-card.tsx'

interface Props {
  readonly run: string
  readonly story: string
  readonly remarks: readonly RemarkAnswer[]
  readonly focus: string | null
}

/** People's comments on a change, with their results. */
export function RemarkList({ run, story, remarks, focus }: Props) {
  if (remarks.length === 0) return null
  const open = remarks.filter(({ state }) => state === 'OPEN').length
  const waiting = remarks.filter(({ state }) => state === 'ANSWERED' || state === 'STUCK').length
  const counts = [...(open > 0 ? [`${open} open`] : []), ...(waiting > 0 ? [`${waiting} for ${whom()} to decide`] : [])]
  return (
    <section className="card remark-list">
      <div className="card-head">
        <h2>Comments</h2>
        <span className="sub spread">{counts.join(', ') || 'all settled'}</span>
      </div>
      <ul>
        {threadsOf(remarks).map(({ remark, replies }) => (
          <li
            key={remark.key}
            tabIndex={-1}
            data-finding={[remark, ...replies].flatMap(({ id }) => id ?? []).join(' ') || undefined}
            aria-current={focus !== null && [remark, ...replies].some(({ id }) => id === focus)}
          >
            <RemarkCard
              remark={remark}
              about={{ run, story: null, review: draftReview(`${run}/${story}`) }}
              where={<Where run={run} story={story} remark={remark} />}
            >
              <Replies replies={replies} about={{ run, story: null, review: draftReview(`${run}/${story}`) }} />
            </RemarkCard>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Where({ run, story, remark }: Pick<Props, 'run' | 'story'> & { readonly remark: RemarkAnswer }) {
  const { id, path, start, end } = remark
  if (path === null) return <p className="where">On the whole change</p>
  const lines = start === null ? '' : `:${start}${end === null || end === start ? '' : `-${end}`}`
  const place = <code>{`${path}${lines}`}</code>
  if (id === null) return <p className="where">{place}</p>
  return (
    <p className="where">
      <a href={href('runs', run, 'stories', story, 'diff', id)} title="See it in the diff">
        {place}
      </a>
    </p>
  )
}
