import type { HeldLine } from '../../api/held.ts'
import type { UserConfig } from '../../config/schema.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { GoneBranch } from '../../domain/run/gone-branch.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Artifacts } from '../../ports/artifacts.ts'
import type { Clock } from '../../ports/clock.ts'
import type { History } from '../../ports/history.ts'
import type { Records } from '../../ports/store.ts'
import type { WorkTrees } from '../../ports/work-trees.ts'
import type { Installation } from '../installation.ts'
import type { StateAccess } from '../state-access.ts'

/** The sources of a server's views. They do not require the server to own the state. */
export interface ViewSources {
  readonly records: Records
  readonly history: Pick<History, 'diff' | 'committed' | 'isAncestor' | 'hidden' | 'lineCounts'>
  readonly artifacts: Pick<Artifacts, 'readLog' | 'files' | 'readFile'>
  readonly storedFiles: Installation['storedFiles']
  readonly workTrees: Pick<WorkTrees, 'snapshot' | 'path' | 'isMade'>
  /** The user's own settings. */
  readonly user: Pick<UserConfig, 'dashboard' | 'slots'>
  /** True if a process works on the state now. */
  readonly isOwned: () => boolean
  /** The processes that work on the state, if it is shared. */
  readonly workersNow: StateAccess['workersNow']
  /** Selects the Runs whose result was on a branch that somebody has deleted since. */
  readonly goneBranches: (runs: readonly Run[]) => Promise<ReadonlyMap<string, GoneBranch>>
  /** The reader's name as the author of comments; null on a hub, which has many readers. */
  readonly you: () => Promise<string | null>
  /** Commands that are held and can still be undone. */
  readonly heldNow: () => HeldLine[]
  readonly now: () => Date
  readonly sleep: Clock['sleep']
  /** The path of the repository. */
  readonly repository: string
  readonly version: string
}

/** The Run of exactly this id. Throws DrydockError `not_found`. */
export async function findRun({ records }: Pick<ViewSources, 'records'>, id: string): Promise<Run> {
  const run = await records.machineOf('run', id)
  if (run !== null) return run
  const known = (await records.machines({ kind: 'run' })).slice(-5).map((each) => each.id)
  throw new DrydockError('not_found', `There is no run "${id}".`, {
    todo: known.length > 0 ? `The last ones are: ${known.join(', ')}` : 'Start one.',
  })
}
