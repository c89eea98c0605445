import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { TokenList } from '../../src/api/hub.ts'
import { apiPath, get } from './client.ts'
import { useOperation } from './operation.ts'

const tokensKey = ['tokens']

/** Changes of tokens cause no events, so they are fetched at each visit. */
export const useTokens = () =>
  useQuery({
    queryKey: tokensKey,
    queryFn: ({ signal }) => get<TokenList>(apiPath('tokens'), signal),
    staleTime: 0,
  })

/** The answer contains the token itself, so it is not cached. */
export function useAddToken() {
  const client = useQueryClient()
  const onSuccess = () => client.invalidateQueries({ queryKey: tokensKey })
  return useOperation('addToken', { onSuccess, gcTime: 0 })
}

export function useRevokeToken() {
  const client = useQueryClient()
  return useOperation('revokeToken', { onSettled: () => client.invalidateQueries({ queryKey: tokensKey }) })
}
