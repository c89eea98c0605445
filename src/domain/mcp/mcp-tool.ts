import type { JsonObject } from '../json.ts'

/** A tool of one of the user's MCP servers, as models are offered it. */
export interface McpTool {
  /** As people see it: `<server>_<tool>`. Models call it by its `providerName`. */
  readonly name: string
  readonly server: string
  /** Its name at the server. */
  readonly tool: string
  readonly description: string
  readonly inputSchema: JsonObject
  /** The server says that a call changes nothing. */
  readonly isReadOnly: boolean
  /** Hash of the definitions that the user approved. */
  readonly hash: string
  /** Who has it: architect, editor or scout. */
  readonly roles: readonly string[]
}
