import { isTerminal } from '../../agents/tools/registry.ts'
import { type Lane, shortageOf } from '../../domain/lane/lane.ts'
import { isEnded } from '../../domain/run/run.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { load } from '../machines.ts'

/**
 * Closes sandboxes with background commands, and ends MCP servers, for each lane that no longer
 * works: it has ended, has handed in its work, or is at rest, alone or with its Run.
 */
export async function endCommands(
  deps: Pick<WorkflowDependencies, 'store' | 'sandboxes' | 'laneServers'>,
): Promise<void> {
  for (const { folder, lane } of deps.sandboxes.withCommands()) {
    if (await isOver(deps, await load(deps.store, 'lane', lane))) await deps.sandboxes.closeUsed(folder)
  }
  await deps.laneServers.endOver(async (lane) => isOver(deps, await load(deps.store, 'lane', lane)))
}

async function isOver({ store }: Pick<WorkflowDependencies, 'store'>, lane: Lane): Promise<boolean> {
  if (lane.state === 'ENDED' || shortageOf(lane.data) !== null) return true
  const { role, calls, results } = lane.data
  if (lane.state === 'WAITING' && isTerminal(role, calls[results.length]?.tool)) return true
  const { state } = await load(store, 'run', lane.run)
  return state === 'PAUSED' || state === 'ERROR' || isEnded(state)
}
