import type { McpDefinition } from '../domain/mcp/definition.ts'
import type { McpTool } from '../domain/mcp/mcp-tool.ts'
import type { ToolOffer } from '../domain/mcp/offered-tools.ts'
import type { McpServerSettings } from '../domain/mcp/server-settings.ts'
import type { Workspace } from './work-trees.ts'

/** The user's MCP servers: their permissions, and connections to them. */
export interface McpServers {
  readonly settings: readonly McpServerSettings[]
  /** The tools of approved servers, for the roles that the user names. */
  offered(): Promise<readonly McpTool[]>
  /** Approval of a configured server; null without one. */
  approval(server: string): Promise<McpApproval | null>
  /** Starts the server, lists its tools, and ends it. */
  look(server: string, signal: AbortSignal): Promise<McpResult<McpLook>>
  /** Pins these definitions in place of any earlier ones. */
  approve(server: string, look: McpLook): Promise<void>
  /** Revokes the approval; returns true if there was one. */
  revoke(server: string): Promise<boolean>
  /** Withdraws the approval, because the server has other tools than the approved ones. */
  withdraw(server: string, found: string): Promise<void>
  /** Starts the server, or connects to it. `workspace` is that of the calling agent. */
  connect(server: string, workspace: Workspace | null, signal: AbortSignal): Promise<McpResult<McpConnection>>
}

export interface McpApproval {
  /** Hash of the definitions. */
  readonly hash: string
  /** An ISO 8601 time. */
  readonly at: string
  readonly offered: ToolOffer
  /** The reason why the approval no longer counts; null while it does. */
  readonly problem: string | null
  /** Hash of other definitions that the server turned out to have; null until then. */
  readonly found: string | null
}

export interface McpLook {
  readonly hash: string
  readonly definitions: readonly McpDefinition[]
  readonly offered: ToolOffer
}

/** `message` is a sentence. */
export type McpResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string }

export interface McpConnection {
  /**
   * Hash of the server's tools. Lists them at the first call, and after the server has announced a
   * change.
   */
  hash(signal: AbortSignal): Promise<McpResult<string>>
  /** A refusal by the server is an answer. A failure means that the connection is closed. */
  call(tool: string, input: unknown, signal: AbortSignal): Promise<McpResult<McpAnswer>>
  readonly isClosed: () => boolean
  close(): Promise<void>
}

export interface McpAnswer {
  readonly ok: boolean
  readonly text: string
}
