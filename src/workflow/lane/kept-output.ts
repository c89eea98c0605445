import { done, refuse, type ToolOutcome } from '../../agents/tools/tool.ts'
import type { Lane } from '../../domain/lane/lane.ts'
import { limits } from '../../domain/limits.ts'
import type { WorkflowDependencies } from '../dependencies.ts'

type Deps = Pick<WorkflowDependencies, 'artifacts'>

/** Names the lane's current call uniquely among all its calls. */
export function callName({ data }: Lane): string {
  return `${data.turn}-${data.results.length + 1}`
}

/**
 * Stores the output of the lane's current call, and returns the name by which `read_file` finds it;
 * null if it cannot be written.
 */
export async function keepOutput({ artifacts }: Deps, lane: Lane, text: string): Promise<string | null> {
  const name = callName(lane)
  return artifacts.keepOutput({ run: lane.run, lane: lane.id, name }, text).then(
    () => `output:${name}`,
    () => null,
  )
}

/** Reads an output that was stored for this lane. */
export async function readOutput({ artifacts }: Deps, { run, id }: Lane, name: string): Promise<ToolOutcome> {
  const text = /^\d+-\d+$/.test(name) ? await artifacts.output({ run, lane: id, name }) : null
  if (text !== null) return done(text)
  return refuse(
    `output:${name} is not kept. Kept are the last ${limits.commandOutputs} that answers of your own commands named`,
  )
}
