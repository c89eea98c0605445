import { mountPoints, partMounts } from '../../../gate/layers/tree-parts.ts'
import type { SandboxSpec } from '../../../ports/sandbox.ts'
import type { WorkflowDependencies } from '../../dependencies.ts'
import { agentSpec } from '../../lane/sandboxes.ts'
import { requireStory } from '../../machines.ts'
import type { WorkspaceDependencies } from '../../story/dependencies.ts'
import type { AgentLane } from './agent-turn.ts'
import type { AgentSettings } from './foreign-agents.ts'

interface AgentSandboxInput extends Pick<AgentLane, 'lane' | 'run'> {
  readonly settings: Pick<AgentSettings, 'env' | 'readOnlyPaths'>
}

/**
 * The sandbox of a foreign agent shows the story's workspace, as that of Drydock's own editor does.
 * A planning agent cannot write there.
 */
export async function agentSandbox(
  deps: WorkspaceDependencies & Pick<WorkflowDependencies, 'parts'>,
  { lane, run, settings }: AgentSandboxInput,
  signal: AbortSignal,
): Promise<{ readonly sandbox: SandboxSpec; readonly folder: string }> {
  const { folder, history, config, parts } = await workspaceOf(deps, { lane, run }, signal)
  // Commands of tools in the open sandbox end here; the next caller opens a new one.
  await deps.sandboxes.close(folder)
  const points = await deps.workTrees.makeMountPoints(folder, mountPoints(parts))
  const access = lane.data.role === 'editor_coding' ? 'write' : 'read'
  const readOnlyPaths = [...config.sandbox.readOnlyPaths, ...settings.readOnlyPaths]
  const { services = [] } = config
  const spec = agentSpec({ folder, history, access, readOnlyPaths, services }, partMounts(parts, points))
  return { sandbox: { ...spec, env: { ...spec.env, ...settings.env } }, folder }
}

/** Reads the workspace's files from a read-only sandbox while the agent works. */
export function workspaceLook(
  deps: WorkspaceDependencies & Pick<WorkflowDependencies, 'parts'>,
  { lane, run }: Pick<AgentLane, 'lane' | 'run'>,
  signal: AbortSignal,
): () => Promise<string | null> {
  const look = async () => {
    const late = AbortSignal.any([signal, AbortSignal.timeout((run.data.config?.toolTimeoutSec ?? 60) * 1_000)])
    const { folder, history, config, parts } = await workspaceOf(deps, { lane, run }, late)
    const { readOnlyPaths } = config.sandbox
    const session = await deps.sandboxes.session(
      { folder, history, access: 'read', readOnlyPaths, parts, lane: lane.id },
      late,
    )
    const reply = await session.request({ op: 'state', since: 0 }, late)
    return reply.ok ? reply.value.sha256.slice(0, 16) : null
  }
  return () => look().catch(() => null)
}

async function workspaceOf(
  deps: Pick<WorkflowDependencies, 'store' | 'parts' | 'workTrees'>,
  { lane, run }: Pick<AgentLane, 'lane' | 'run'>,
  signal: AbortSignal,
) {
  const { slot, attempts, base } = (await requireStory(deps.store, lane)).data
  const { config, base: start } = run.data
  if (slot === null || config === null || start === null) throw new Error(`lane ${lane.id} has no workspace`)
  const parts = await deps.parts.of({ config, base: start, commit: attempts.at(-1)?.sha ?? base }, signal)
  return { folder: deps.workTrees.path(slot), history: deps.workTrees.history(slot), config, parts }
}
