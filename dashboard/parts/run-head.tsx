import type { ReactNode } from 'react'
import { useRun } from '../data/queries.ts'
import { badgeOf } from '../state-family.ts'
import { Pill } from './pill.tsx'

/** The header of each page of a Run: the page's title, and the Run. */
export function RunHead({
  run,
  title,
  isPast = false,
  children,
}: {
  readonly run: string
  readonly title: string
  /** True if the page shows the past, so the Run's current state is left out. */
  readonly isPast?: boolean
  readonly children?: ReactNode
}) {
  const { data } = useRun(run)
  return (
    <header className="page-head">
      <div className="stack tight">
        <h1>{title}</h1>
        {data && (
          <p className="row sub">
            {isPast ? (
              <span>As it was</span>
            ) : (
              <Pill state={badgeOf(data)} label={data.outcome.label} title={data.outcome.sentence} />
            )}
            <span className="ellipsis">{data.title}</span>
          </p>
        )}
      </div>
      {children}
    </header>
  )
}
