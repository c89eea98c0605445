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

/** The sources of a server's views. The server need not own the state. */
export interface ViewSources {
  readonly records: Records
  readonly history: Pick<History, 'diff' | 'committed' | 'isAncestor' | 'hidden' | 'lineCounts'>
  readonly artifacts: Pick<Artifacts, 'readLog' | 'files' | 'readFile'>
  readonly storedFiles: Installation['storedFiles']
  readonly workTrees: Pick<WorkTrees, 'snapshot' | 'path' | 'isMade'>
  /** The user's own settings. */
  readonly user: Pick<UserConfig, 'dashboard' | 'slots'>
  /** Whether a process works on the state now. */
  readonly isOwned: () => boolean
  /** Who works on the state, where it is shared. */
  readonly workersNow: StateAccess['workersNow']
  /** Those of the Runs whose result was on a branch that somebody has deleted since. */
  readonly goneBranches: (runs: readonly Run[]) => Promise<ReadonlyMap<string, GoneBranch>>
  /** The name that comments of who looks have; null on a hub, where many look. */
  readonly you: () => Promise<string | null>
  /** Commands that can still be taken back. */
  readonly heldNow: () => HeldLine[]
  readonly now: () => Date
  readonly sleep: Clock['sleep']
  /** Folder of the repository. */
  readonly repository: string
  readonly version: string
}

/** The Run of exactly this id. DrydockError `not_found`. */
export async function findRun({ records }: Pick<ViewSources, 'records'>, id: string): Promise<Run> {
  const run = await records.machineOf('run', id)
  if (run !== null) return run
  const known = (await records.machines({ kind: 'run' })).slice(-5).map((each) => each.id)
  throw new DrydockError('not_found', `There is no run "${id}".`, {
    todo: known.length > 0 ? `The last ones are: ${known.join(', ')}` : 'Start one.',
  })
}
