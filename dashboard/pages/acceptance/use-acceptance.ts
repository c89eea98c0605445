import { useQuery } from '@tanstack/react-query'
import type { RunAcceptance } from '../../../src/api/acceptance.ts'
import { apiPath, get } from '../../data/client.ts'
import { keys } from '../../data/queries.ts'

/** Every event of the Run makes it stale. */
export const useAcceptance = (run: string) =>
  useQuery({
    queryKey: [...keys.run(run), 'acceptance'],
    queryFn: ({ signal }) => get<RunAcceptance>(apiPath('runs', run, 'acceptance'), signal),
  })
