import type { Lane } from '../../domain/lane/lane.ts'
import type { McpTool } from '../../domain/mcp/mcp-tool.ts'
import type { RunConfig } from '../../domain/run/run-config.ts'
import type { McpServers } from '../../ports/mcp-servers.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { load } from '../machines.ts'

interface Withdrawing {
  readonly servers: McpServers | null
  readonly lane: Lane
  readonly tool: McpTool
  /** Hash of the server's present tools. */
  readonly found: string
}

/**
 * Withdraws the tools of a changed server from all later lanes, in this Run and others, until the
 * user approves them. An event of the Run reports it once.
 */
export async function withdrawServer(
  { engine }: Pick<WorkflowDependencies, 'engine'>,
  { servers, lane, tool: { server, hash: approved }, found }: Withdrawing,
): Promise<void> {
  await servers?.withdraw(server, found)
  await engine.transact(async (tx) => {
    const run = await load(tx, 'run', lane.run)
    const { config, repositories } = run.data
    if (!config?.mcp?.some((each) => each.server === server)) return
    const others = repositories?.map((each) => ({ ...each, config: withoutServer(each.config, server) }))
    await tx.edit(run, { config: withoutServer(config, server), ...(others && { repositories: others }) })
    await tx.appendEvent({
      run: lane.run,
      story: lane.story,
      type: 'mcp_withdrawn',
      data: { server, approved, found },
    })
  })
}

function withoutServer(config: RunConfig, server: string): RunConfig {
  const { mcp = [], ...without } = config
  const rest = mcp.filter((each) => each.server !== server)
  return rest.length === 0 ? without : { ...without, mcp: rest }
}
