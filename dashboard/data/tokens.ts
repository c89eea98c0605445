import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { TokenList } from '../../src/api/hub.ts'
import { apiPath, get } from './client.ts'
import { useOperation } from './operation.ts'

const tokensKey = ['tokens']

/** No event tells of a token: asked for each time that it is looked at. */
export const useTokens = () =>
  useQuery({
    queryKey: tokensKey,
    queryFn: ({ signal }) => get<TokenList>(apiPath('tokens'), signal),
    staleTime: 0,
  })

/** What is answered has the token itself: it is for whoever asked, and kept nowhere. */
export function useAddToken() {
  const client = useQueryClient()
  const onSuccess = () => client.invalidateQueries({ queryKey: tokensKey })
  return useOperation('addToken', { onSuccess, gcTime: 0 })
}

export function useRevokeToken() {
  const client = useQueryClient()
  return useOperation('revokeToken', { onSettled: () => client.invalidateQueries({ queryKey: tokensKey }) })
}
