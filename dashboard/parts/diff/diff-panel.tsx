import type { UseQueryResult } from '@tanstack/react-query'
import { Suspense } from 'react'
import type { Diff } from '../../../src/api/stories.ts'
import { Copy } from '../copy.tsx'
import { lazyPart } from '../lazy-part.ts'
import { Loaded } from '../loaded.tsx'
import { Empty, Loading } from '../notice.tsx'

const DiffView = lazyPart(() => import('./diff-view.tsx').then(({ DiffView }) => DiffView))

/** What is between two commits; it grows while it is looked at. */
export function DiffPanel({ query, empty }: { readonly query: UseQueryResult<Diff>; readonly empty: string }) {
  return (
    <Loaded query={query} what="the diff">
      {({ base, sha, diff, truncated, live }) =>
        diff === '' ? (
          <Empty icon="branch" title="No changes yet">
            <p>{empty}</p>
          </Empty>
        ) : (
          <div className="stack">
            <p className="row sub">
              {base !== null && <Copy text={base} shown={base.slice(0, 10)} />}
              {live ? (
                <>
                  to <strong>the workspace as it is now</strong>
                </>
              ) : (
                sha !== null && (
                  <>
                    to <Copy text={sha} shown={sha.slice(0, 10)} />
                  </>
                )
              )}
              {truncated && <span>The diff is longer than shown here. drydock diff shows all of it.</span>}
            </p>
            <Suspense fallback={<Loading what="the diff" />}>
              <DiffView diff={diff} />
            </Suspense>
          </div>
        )
      }
    </Loaded>
  )
}
