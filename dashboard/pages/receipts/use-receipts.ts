import { keepPreviousData, useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import type { ReceiptChecks, ReceiptDetail, ReceiptLine, ReceiptList } from '../../../src/api/receipts.ts'
import { apiPath, get } from '../../data/client.ts'

export interface ReceiptFilter {
  readonly words: string
  readonly state: ReceiptLine['state'] | null
}

/**
 * Loads page by page, newest first. Notes change without an event, so each visit fetches them
 * again.
 */
export const useReceipts = ({ words, state }: ReceiptFilter) =>
  useInfiniteQuery({
    queryKey: ['receipts', words, state ?? ''],
    queryFn: ({ signal, pageParam }) => {
      const query = new URLSearchParams()
      if (words !== '') query.set('q', words)
      if (state !== null) query.set('state', state)
      if (pageParam !== '') query.set('after', pageParam)
      return get<ReceiptList>(`${apiPath('receipts')}?${query}`, signal)
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

/** The whole receipt, fetched once somebody opens it. */
export const useReceipt = (commit: string) =>
  useQuery({
    queryKey: ['receipt', commit],
    queryFn: ({ signal }) => get<ReceiptDetail>(apiPath('receipts', commit), signal),
    staleTime: 0,
  })

export const checksAtOnce = 100

/** Reads and verifies the receipts again. */
export const useChecks = () =>
  useMutation({
    mutationFn: (commits: readonly string[]) =>
      get<ReceiptChecks>(`${apiPath('receipts', 'checks')}?commits=${commits.slice(0, checksAtOnce).join(',')}`),
  })

/** Saves the unchanged note as a file. */
export async function download(commit: string): Promise<void> {
  const { envelope } = await get<ReceiptDetail>(apiPath('receipts', commit))
  if (envelope === null) return
  const url = URL.createObjectURL(new Blob([envelope], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `receipt-${commit.slice(0, 12)}.json`
  link.click()
  URL.revokeObjectURL(url)
}
