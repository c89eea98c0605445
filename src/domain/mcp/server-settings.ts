import type { Agent } from '../lane/lane.ts'

/** One of the user's MCP servers, from the user's file. */
export interface McpServerSettings {
  readonly name: string
  readonly roles: readonly Agent[]
  /** The program and its arguments; null for a server with a URL. */
  readonly command: readonly string[] | null
  readonly url: string | null
  /** Names of the enabled tools; null for all. */
  readonly tools: readonly string[] | null
  /** True if the server sees the workspace of the agent that calls it. */
  readonly isShown: boolean
  readonly hosts: readonly string[]
  readonly readOnlyPaths: readonly string[]
  /** The longest time of one call, in milliseconds. */
  readonly timeoutMs: number
  /** Secret values. Throws DrydockError `mcp_failed` when a named variable has no value. */
  readonly values: () => Readonly<Record<'env' | 'headers', Readonly<Record<string, string>>>>
}
