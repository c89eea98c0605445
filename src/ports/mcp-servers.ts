import type { McpDefinition } from '../domain/mcp/definition.ts'
import type { McpTool } from '../domain/mcp/mcp-tool.ts'
import type { Offered } from '../domain/mcp/offered-tools.ts'
import type { McpServerSettings } from '../domain/mcp/server-settings.ts'
import type { Workspace } from './work-trees.ts'

/** The user's MCP servers: what they are allowed to be, and connections to them. */
export interface McpServers {
  readonly settings: readonly McpServerSettings[]
  /** The tools of approved servers, for the roles that the user names. */
  offered(): Promise<readonly McpTool[]>
  /** Of a configured server; null when nothing of it is approved. */
  approval(server: string): Promise<McpApproval | null>
  /** Starts the server, asks it for its tools, and ends it. */
  look(server: string, signal: AbortSignal): Promise<McpResult<McpLook>>
  /** Pins these definitions, and nothing before them. */
  approve(server: string, look: McpLook): Promise<void>
  /** What was approved counts no more; whether anything was. */
  revoke(server: string): Promise<boolean>
  /** The server has other tools than the approved ones, which count no more. */
  withdraw(server: string, found: string): Promise<void>
  /** Starts the server, or reaches it. `workspace` is the one of the agent that calls it. */
  connect(server: string, workspace: Workspace | null, signal: AbortSignal): Promise<McpResult<McpConnection>>
}

export interface McpApproval {
  /** Of the definitions. */
  readonly hash: string
  /** ISO 8601. */
  readonly at: string
  readonly offered: Offered
  /** Why it does not count any more; null while it does. */
  readonly problem: string | null
  /** Hash of other definitions that the server was found to have; null before. */
  readonly found: string | null
}

export interface McpLook {
  readonly hash: string
  readonly definitions: readonly McpDefinition[]
  readonly offered: Offered
}

/** `message` is a sentence. */
export type McpResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string }

export interface McpConnection {
  /** Of its tools. Asks for them at first, and when the server has said that they changed. */
  hash(signal: AbortSignal): Promise<McpResult<string>>
  /** A refusal of the server is an answer. A failure means that the connection is closed. */
  call(tool: string, input: unknown, signal: AbortSignal): Promise<McpResult<McpAnswer>>
  readonly isClosed: () => boolean
  close(): Promise<void>
}

export interface McpAnswer {
  readonly ok: boolean
  readonly text: string
}
