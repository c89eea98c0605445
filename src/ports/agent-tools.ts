import type { ToolSpec } from './model.ts'

/** Drydock's own tools for a foreign agent in its sandbox: a server on a unix socket, by MCP. */
export interface AgentToolServers {
  open(serving: AgentToolServing): Promise<AgentToolServer>
}

export interface AgentToolServing {
  /** Of the host. */
  readonly socket: string
  readonly tools: readonly ToolSpec[]
  /** The input is as it came: nothing has checked it. */
  readonly call: (tool: string, input: unknown, signal: AbortSignal) => Promise<AgentToolAnswer>
}

export interface AgentToolAnswer {
  readonly ok: boolean
  readonly output: string
}

export interface AgentToolServer {
  /** Ends its connections. Calls that still run are aborted. */
  close(): Promise<void>
}
