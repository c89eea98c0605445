import type { News, Standing } from '../../api/views/follow.ts'
import type { StateReader } from '../../ports/store.ts'
import type { StateAccess } from '../state-access.ts'
import { readNews, readStanding } from '../views/standing.ts'

/** The Runs of a follower, as the state here or the hub tells of them. */
export interface RunFeed {
  news(after: number): Promise<News>
  standing(): Promise<Standing>
}

interface Following {
  readonly runs: readonly string[]
  readonly command?: string
}

/** `records` are those of the state here; null at a hub, which has none for others. */
export function followedRuns(
  { atHub }: Pick<StateAccess, 'atHub'>,
  records: StateReader | null,
  { runs, command }: Following,
): RunFeed {
  const named = runs.join(',')
  const asked = { runs: named, ...(command !== undefined && { command }) }
  const operations = atHub?.operations()
  if (operations !== undefined)
    return {
      news: (after) => operations.news({ runs: named, after }),
      standing: () => operations.standing(asked),
    }
  if (records === null) throw new Error('neither a state nor a hub is followed')
  return {
    news: (after) => readNews(records, { runs: named, after }),
    standing: () => readStanding(records, asked),
  }
}
