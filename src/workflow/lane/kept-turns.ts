import type { Lane } from '../../domain/lane/lane.ts'
import { limits } from '../../domain/limits.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { storyOf } from '../machines.ts'
import { keepLook } from '../story/look.ts'

/**
 * Keeps the workspaces of editors beside their models' calls, so that a host that is lost takes at
 * most one turn with it. Nobody waits for it.
 */
export interface KeptTurns {
  /** Called when a lane asks its model. Begins nothing unless a turn may have changed files. */
  begin(lane: Lane): void
  /** Waits for what is under way. */
  end(): Promise<void>
}

type Deps = Pick<WorkflowDependencies, 'workTrees' | 'store' | 'clock'>

/** Failures are told, and the next turn keeps what this one did not. */
export function createKeptTurns(deps: Deps, onFailure: (error: unknown) => void): KeptTurns {
  const kept = new Map<string, string>()
  const open = new Map<string, Promise<void>>()

  async function keep(lane: Lane, turn: string): Promise<void> {
    const story = await storyOf(deps.store, lane)
    // Its other lanes only read.
    if (story?.data.lane !== lane.id) return
    const signal = AbortSignal.timeout(limits.dashboard.lookMs)
    const result = await keepLook(deps.workTrees, story, { at: deps.clock.now(), signal })
    // What git cannot hold now, it may hold after the next turn.
    if (result?.ok) kept.set(lane.id, turn)
  }

  return {
    begin(lane) {
      const turn = changesOf(lane)
      // A turn that ends meanwhile is kept with the next.
      if (turn === null || kept.get(lane.id) === turn || open.has(lane.id)) return
      const keeping = keep(lane, turn)
        .catch(onFailure)
        .finally(() => open.delete(lane.id))
      open.set(lane.id, keeping)
    },
    async end() {
      await Promise.all(open.values())
    },
  }
}

/** Counts what may have changed files; null while nothing has. */
function changesOf({ data: { progress } }: Lane): string | null {
  const { edits, commands } = progress.workspace
  return edits + commands === 0 ? null : `${edits} ${commands}`
}
