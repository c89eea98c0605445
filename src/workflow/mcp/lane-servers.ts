import type { ToolOutcome } from '../../agents/tools/tool.ts'
import type { Lane } from '../../domain/lane/lane.ts'
import type { McpTool } from '../../domain/mcp/mcp-tool.ts'

/** A call to a tool of one of the user's MCP servers. */
export interface OutsideCall {
  readonly lane: Lane
  readonly tool: McpTool
  /** The model's input, unchecked. */
  readonly input: unknown
}

/** The user's MCP servers for lanes: each lane has its own process, started at its first call. */
export interface LaneServers {
  call(call: OutsideCall, signal: AbortSignal): Promise<ToolOutcome>
  /** Ends the servers of lanes that no longer work. */
  endOver(isOver: (lane: string) => Promise<boolean>): Promise<void>
  /** Ends all before the process ends; none is started afterwards. */
  closeAll(): Promise<void>
}
