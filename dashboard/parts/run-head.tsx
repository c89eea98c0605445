import type { ReactNode } from 'react'
import { useRun } from '../data/queries.ts'
import { badgeOf } from '../state-family.ts'
import { Pill } from './pill.tsx'

/** The top of each page of a Run: the page, and which Run it is about. */
export function RunHead({
  run,
  title,
  children,
}: {
  readonly run: string
  readonly title: string
  readonly children?: ReactNode
}) {
  const { data } = useRun(run)
  return (
    <header className="page-head">
      <div className="stack tight">
        <h1>{title}</h1>
        {data && (
          <p className="row sub">
            <Pill state={badgeOf(data)} label={data.outcome.label} title={data.outcome.sentence} />
            <span className="ellipsis">{data.title}</span>
          </p>
        )}
      </div>
      {children}
    </header>
  )
}
