import type { ReactNode } from 'react'
import { useRun } from '../data/queries.ts'
import { badgeOf } from '../state-family.ts'
import { Pill } from './pill.tsx'

/** The top of each page of a Run: the page, and which Run it is about. */
export function RunHead({
  run,
  title,
  isPast = false,
  children,
}: {
  readonly run: string
  readonly title: string
  /** What is shown was: how the Run stands now is left out. */
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
