import { useQuery } from '@tanstack/react-query'
import type { Finish } from '../../../src/api/finish.ts'
import { apiPath, get } from '../../data/client.ts'

/** Under the name of its Run, so that what makes the Run stale asks for this again, too. */
const finishKey = (run: string) => ['run', run, 'finish']

/** Branches move without an event: it is asked for again whenever somebody comes back to it. */
export const useFinish = (run: string) =>
  useQuery({
    queryKey: finishKey(run),
    queryFn: ({ signal }) => get<Finish>(apiPath('runs', run, 'finish'), signal),
    refetchOnWindowFocus: true,
    staleTime: 2_000,
  })
