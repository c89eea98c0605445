import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { AddedToken, AddToken, TokenList } from '../../src/api/hub.ts'
import { act } from './act.ts'
import { apiPath, get } from './client.ts'

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
  return useMutation({
    mutationFn: (input: AddToken) => act<AddedToken>(apiPath('tokens'), input),
    onSuccess: () => client.invalidateQueries({ queryKey: tokensKey }),
    gcTime: 0,
  })
}

export function useRevokeToken() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (name: string) => act<null>(apiPath('tokens', name, 'revoke'), {}),
    onSettled: () => client.invalidateQueries({ queryKey: tokensKey }),
  })
}
