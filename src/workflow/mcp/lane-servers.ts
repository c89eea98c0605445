import type { ToolOutcome } from '../../agents/tools/tool.ts'
import type { Lane } from '../../domain/lane/lane.ts'
import type { McpTool } from '../../domain/mcp/mcp-tool.ts'

/** A call of a tool of one of the user's MCP servers. */
export interface OutsideCall {
  readonly lane: Lane
  readonly tool: McpTool
  /** As the model gave it. */
  readonly input: unknown
}

/** The user's MCP servers as lanes use them: each lane has its own, started at its first call. */
export interface LaneServers {
  call(call: OutsideCall, signal: AbortSignal): Promise<ToolOutcome>
  /** Ends those of lanes that do not work any more. */
  endOver(isOver: (lane: string) => Promise<boolean>): Promise<void>
  /** Before the process ends: none is started any more. */
  closeAll(): Promise<void>
}
