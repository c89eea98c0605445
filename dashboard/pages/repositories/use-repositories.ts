import { useMutation, useQuery } from '@tanstack/react-query'
import type { RepositoryList } from '../../../src/api/repositories.ts'
import { act } from '../../data/act.ts'
import { apiPath, get } from '../../data/client.ts'
import { isAlone } from '../../data/may.ts'
import { keys } from '../../data/queries.ts'

/** Milliseconds between two looks: no event of another repository comes here. */
const lookMs = 15_000

/**
 * All repositories of the user, looked at again while a page that is about them is shown. On a hub,
 * which has one, nothing is asked for.
 */
export const useRepositories = ({ again }: { readonly again: boolean }) =>
  useQuery({
    queryKey: keys.repositories,
    queryFn: ({ signal }) => get<RepositoryList>(apiPath('repositories'), signal),
    refetchInterval: again ? lookMs : false,
    staleTime: lookMs,
    enabled: isAlone(),
  })

/** Leaves for the server of another repository, at a page of it. */
export const useOpenRepository = () =>
  useMutation({
    mutationFn: async ({ id, to = '' }: { readonly id: string; readonly to?: string }) => {
      const { link } = await act('openRepository', { id })
      window.location.assign(to === '' ? link : `${link}&to=${encodeURIComponent(to)}`)
    },
  })
