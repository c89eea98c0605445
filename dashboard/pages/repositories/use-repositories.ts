import { useMutation, useQuery } from '@tanstack/react-query'
import type { RepositoryList } from '../../../src/api/repositories.ts'
import { act } from '../../data/act.ts'
import { apiPath, get } from '../../data/client.ts'
import { isAlone } from '../../data/may.ts'
import { keys } from '../../data/queries.ts'

/** Milliseconds between two fetches, since events of other repositories do not arrive here. */
const lookMs = 15_000

/**
 * All repositories of the user, fetched repeatedly while a page about them is shown. A hub has only
 * one, so nothing is fetched there.
 */
export const useRepositories = ({ again }: { readonly again: boolean }) =>
  useQuery({
    queryKey: keys.repositories,
    queryFn: ({ signal }) => get<RepositoryList>(apiPath('repositories'), signal),
    refetchInterval: again ? lookMs : false,
    staleTime: lookMs,
    enabled: isAlone(),
  })

/** Goes to a page of another repository's server. */
export const useOpenRepository = () =>
  useMutation({
    mutationFn: async ({ id, to = '' }: { readonly id: string; readonly to?: string }) => {
      const { link } = await act('openRepository', { id })
      window.location.assign(to === '' ? link : `${link}&to=${encodeURIComponent(to)}`)
    },
  })
