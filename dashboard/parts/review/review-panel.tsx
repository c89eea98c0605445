import { useEffect, useMemo, useRef } from 'react'
import type { Finding } from '../../../src/api/stories.ts'
import { type CommitPair, useDiff } from '../../data/queries.ts'
import { ask, useAsked } from '../../router.ts'
import { Copy } from '../copy.tsx'
import { lazyPart } from '../lazy-part.tsx'
import { Loaded } from '../loaded.tsx'
import { Empty, Loading, Problem } from '../notice.tsx'
import { Compare, type Version } from './compare.tsx'
import { useLastSeen } from './last-seen.ts'

export const DiffReview = lazyPart(
  () => import('./diff-review.tsx').then(({ DiffReview }) => DiffReview),
  () => <Loading what="the diff" />,
)

/** Loads the code of a diff while its surroundings load. */
export function useDiffSoon(): void {
  useEffect(DiffReview.soon, [])
}

interface Props {
  readonly run: string
  /** Null for everything that a Run has merged. */
  readonly story: string | null
  /** Identifies the content of the diff; undefined while it is unknown. */
  readonly version: string | null | undefined
  readonly versions: readonly Version[]
  readonly findings: readonly Finding[]
  /** The finding in the address. */
  readonly focus: string | null
  /** The text if nothing has changed. */
  readonly empty: string
}

const usual: CommitPair = { from: null, to: null }

/** The two compared states, kept in the address, so that a link shows the same. */
function useCompared(): readonly [CommitPair, (compared: CommitPair) => void] {
  const [from, to] = [commitOf(useAsked('from')), commitOf(useAsked('to'))]
  const compared = useMemo(() => (from === null && to === null ? usual : { from, to }), [from, to])
  return [compared, (next) => ask({ ...next })]
}

function commitOf(asked: string | null): string | null {
  return asked !== null && /^[0-9a-f]{40,64}$/.test(asked) ? asked : null
}

/** The change, with comments of people, findings of the gate and reviews of the architect. */
export function ReviewPanel({ run, story, version, versions, findings, focus, empty }: Props) {
  const [compared, compare] = useCompared()
  useDiffSoon()
  const query = useDiff(run, story, { version, ...compared })
  const isWhole = compared.from === null && compared.to === null
  const name = `${run}/${story ?? ''}`
  // The comparison on screen until the chosen one has loaded.
  const answered = useRef(compared)
  if (!query.isPlaceholderData) answered.current = compared
  const isOld = answered.current !== compared
  const now = isWhole && !query.isPlaceholderData ? (query.data?.sha ?? null) : null
  const last = useLastSeen(name, now)
  const seen = last === (now ?? query.data?.sha) ? null : last
  const whole = (
    <button type="button" className="link" onClick={() => compare(usual)}>
      Show the whole change
    </button>
  )
  if (!isWhole && query.isError) {
    return (
      <div className="stack tight">
        <Problem error={query.error} />
        <p>{whole}</p>
      </div>
    )
  }
  return (
    <Loaded query={query} what="the diff">
      {({ base, sha, diff, truncated, live, workspace }) => (
        <div className="stack">
          <div className="row sub review-top">
            {base !== null && <Copy text={base} shown={base.slice(0, 10)} />}
            {live ? (
              <span>
                to <strong>the workspace as it is now</strong>
              </span>
            ) : (
              sha !== null && (
                <span className="row">
                  to <Copy text={sha} shown={sha.slice(0, 10)} />
                </span>
              )
            )}
            {seen !== null && isWhole && diff !== '' && (
              <button type="button" className="link" onClick={() => compare({ from: seen, to: null })}>
                Changed since you last looked
              </button>
            )}
            {!isWhole && whole}
            <Compare
              versions={versions}
              seen={seen ?? (isWhole ? null : compared.from === last ? last : null)}
              compared={compared}
              compare={compare}
            />
          </div>
          {truncated && <p className="sub">The diff is longer than shown here. drydock diff shows all of it.</p>}
          {diff === '' ? (
            <Empty icon="branch" title={isWhole ? 'No changes yet' : 'No difference'}>
              <p>{isWhole ? empty : 'These two states of the work have the same files.'}</p>
            </Empty>
          ) : (
            <DiffReview
              key={name}
              {...{ run, story, diff, sha, findings, focus, name }}
              workspace={workspace ?? null}
              sides={sidesOf(compared, isOld)}
            />
          )}
        </div>
      )}
    </Loaded>
  )
}

const sides = { both: ['old', 'new'], now: ['new'], none: [] } as const

/** A comment is about current lines, or about lines of the commit that the work started from. */
function sidesOf({ from, to }: CommitPair, isOld: boolean): readonly ('old' | 'new')[] {
  if (isOld || to !== null) return sides.none
  return from === null ? sides.both : sides.now
}
