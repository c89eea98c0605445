import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Loading, Problem } from './notice.tsx'

/** The result of a query, or its error. The last result stays on screen during another fetch. */
export function Loaded<Data>({
  query,
  what,
  children,
}: {
  readonly query: UseQueryResult<Data>
  readonly what: string
  readonly children: (data: Data) => ReactNode
}) {
  if (query.data !== undefined) return <>{children(query.data)}</>
  if (query.isError) return <Problem error={query.error} retry={() => void query.refetch()} />
  return <Loading what={what} />
}
