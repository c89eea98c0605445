import { useQuery } from '@tanstack/react-query'
import type { Finish } from '../../../src/api/finish.ts'
import { apiPath, get } from '../../data/client.ts'

/** Prefixed by the Run's key, so that events about the Run also make this stale. */
const finishKey = (run: string) => ['run', run, 'finish']

/** Branches can move without an event, so it is fetched again at each visit. */
export const useFinish = (run: string) =>
  useQuery({
    queryKey: finishKey(run),
    queryFn: ({ signal }) => get<Finish>(apiPath('runs', run, 'finish'), signal),
    refetchOnWindowFocus: true,
    staleTime: 2_000,
  })
