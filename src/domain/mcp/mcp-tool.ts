import type { JsonObject } from '../json.ts'

/** A tool of one of the user's MCP servers, as models are offered it. */
export interface McpTool {
  /** Name for people: `<server>_<tool>`. Models call the tool by its `providerName`. */
  readonly name: string
  readonly server: string
  /** The server's name of the tool. */
  readonly tool: string
  readonly description: string
  readonly inputSchema: JsonObject
  /** True if the server says that a call changes nothing. */
  readonly isReadOnly: boolean
  /** Hash of the definitions that the user approved. */
  readonly hash: string
  /** Roles with the tool: architect, editor or scout. */
  readonly roles: readonly string[]
}
