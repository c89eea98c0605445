import { useEffect, useRef } from 'react'
import type { KeptState } from '../../../src/api/history.ts'
import { useDiff } from '../../data/queries.ts'
import { plural } from '../../figures-text.ts'
import { Copy } from '../../parts/copy.tsx'
import { lazyPart } from '../../parts/lazy-part.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Loading, Problem } from '../../parts/notice.tsx'
import { Pill } from '../../parts/pill.tsx'
import { Cost } from '../../parts/spending.tsx'
import { ask } from '../../router.ts'
import { stateLabel } from '../../state-family.ts'
import type { StoryAt } from './run-at.ts'

const PastDiff = lazyPart(
  () => import('./past-diff.tsx').then(({ PastDiff }) => PastDiff),
  () => <Loading what="the files" />,
)

interface Props {
  readonly run: string
  readonly title: string
  readonly story: StoryAt
}

/** A story at that moment, with its stored files. */
export function PastStory({ run, title, story }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each story that is opened
  useEffect(() => {
    const { activeElement } = document
    const isFromCard = activeElement instanceof HTMLElement && activeElement.dataset.story !== undefined
    if (isFromCard) heading.current?.focus()
  }, [story.id])
  const { id, state, kept, verifications, reviews, status } = story
  return (
    <section className="card past-story" aria-label={`${title} at that moment`} data-past-story={id}>
      <div className="card-head">
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <button type="button" className="button quiet spread" onClick={() => ask({ story: null })}>
          Close
        </button>
      </div>
      <div className="card-body stack">
        <p className="row sub dotted">
          <Pill state={state} />
          <code>{id}</code>
          <span>
            <Cost of={story} /> until then
          </span>
          <span>
            {plural(verifications, 'verification')}
            {status !== null && `, the last one ${stateLabel(status)}`}
          </span>
          <span>{plural(reviews, 'review')}</span>
        </p>
        {kept === null ? (
          <p className="sub">No state of its workspace was kept until then, or git keeps it no more.</p>
        ) : (
          <>
            <p className="row sub">
              <span>Its work as it was last kept: {kept.why}</span>
              <Copy text={kept.sha} shown={kept.sha.slice(0, 10)} />
            </p>
            <Files run={run} story={id} kept={kept} />
          </>
        )}
      </div>
    </section>
  )
}

interface FilesProps {
  readonly run: string
  readonly story: string
  readonly kept: KeptState
}

function Files({ run, story, kept: { sha, base } }: FilesProps) {
  const query = useDiff(run, story, { version: sha, from: base, to: sha })
  if (query.isError) return <Problem error={query.error} />
  return (
    <Loaded query={query} what="the files">
      {({ diff, truncated }) => (
        <div className="stack tight" aria-busy={query.isPlaceholderData}>
          {truncated && <p className="sub">The diff is longer than shown here.</p>}
          {diff === '' ? <p>Nothing was changed yet.</p> : <PastDiff run={run} story={story} sha={sha} diff={diff} />}
        </div>
      )}
    </Loaded>
  )
}
