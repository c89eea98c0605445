import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Loading, Problem } from './notice.tsx'

/**
 * What a query has found, or why it has not. What is known stays on screen while it is asked for
 * again.
 */
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
