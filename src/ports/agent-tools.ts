import type { ToolSpec } from './model.ts'

/** Drydock's own tools for a foreign agent in its sandbox: a server on a unix socket, by MCP. */
export interface AgentToolServers {
  open(serving: AgentToolServing): Promise<AgentToolServer>
}

export interface AgentToolServing {
  /** Path of the socket on the host. */
  readonly socket: string
  readonly tools: readonly ToolSpec[]
  /** The input is unchanged and unchecked. */
  readonly call: (tool: string, input: unknown, signal: AbortSignal) => Promise<AgentToolAnswer>
}

export interface AgentToolAnswer {
  readonly ok: boolean
  readonly output: string
}

export interface AgentToolServer {
  /** Ends all connections, and aborts running calls. */
  close(): Promise<void>
}
