import { basename } from 'node:path'
import type { Repository, RepositoryList } from '../../api/repositories.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import type { KnownState, KnownStates } from '../../ports/known-states.ts'
import { readNewest } from './runs.ts'

/**
 * All repositories of the installation, as their own states describe them. Read-only. `current` is
 * the name of the state that is served.
 */
export async function readRepositories(installation: KnownStates, current: string): Promise<RepositoryList> {
  const states = await installation.states()
  const repositories = await Promise.all(states.map((state) => readRepository(state, current)))
  const order = ({ current, name, id }: Repository) => `${current ? 0 : 1} ${name} ${id}`
  return { repositories: repositories.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)) }
}

async function readRepository(state: KnownState, current: string): Promise<Repository> {
  const { id, repository: path, isThere } = state
  const owned = await state.isOwned()
  const head = {
    id,
    path,
    owned,
    current: id === current,
    name: path === null ? id.replace(/-[0-9a-f]{12}$/, '') : basename(path),
    place: path === null ? ('unknown' as const) : isThere ? ('here' as const) : ('gone' as const),
  }
  try {
    const records = state.openRecords()
    try {
      const { lines, total, escalations } = await readNewest(records, { owned, most: limits.dashboard.otherRuns })
      return { ...head, problem: null, runs: lines, total_runs: total, escalations }
    } finally {
      await records.close()
    }
  } catch (error) {
    return { ...head, problem: problemOf(error), runs: [], total_runs: 0, escalations: [] }
  }
}

/**
 * Describes a state that cannot be read, for instance one of a newer version, so that the other
 * states are still listed.
 */
function problemOf(error: unknown): Repository['problem'] {
  if (error instanceof DrydockError) return { message: error.message, todo: error.todo }
  return { message: error instanceof Error ? error.message : String(error), todo: 'Look there: drydock doctor' }
}
