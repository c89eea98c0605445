import type { Agent } from '../lane/lane.ts'

/** One of the user's MCP servers, as their file has it. */
export interface McpServerSettings {
  readonly name: string
  readonly roles: readonly Agent[]
  /** The program and its arguments; null for a server with a URL. */
  readonly command: readonly string[] | null
  readonly url: string | null
  /** Names of those of its tools that count; null for all. */
  readonly tools: readonly string[] | null
  /** It sees the workspace of the agent that calls it. */
  readonly isShown: boolean
  readonly hosts: readonly string[]
  readonly readOnlyPaths: readonly string[]
  /** For one call. */
  readonly timeoutMs: number
  /** Holds secrets. DrydockError `mcp_failed` when a variable that is named has no value. */
  readonly values: () => Readonly<Record<'env' | 'headers', Readonly<Record<string, string>>>>
}
