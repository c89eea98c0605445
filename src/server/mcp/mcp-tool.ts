import type { z } from 'zod'
import type { ToolOutcome } from '../../agents/tools/tool.ts'

/** A tool as an MCP client is told of it. */
export interface McpTool {
  readonly name: string
  readonly purpose: string
  readonly input: z.ZodObject
  /** Whether it changes nothing. */
  readonly readOnly: boolean
  /** Its calls last as long as the work: no time ends them, and clients hear of its progress. */
  readonly isWork?: true
  /** With input that was checked. What it throws is told to the client, too. */
  readonly call: (input: unknown, waiting: Waiting) => Promise<McpOutcome>
}

/** A client that waits for the answer to a call. */
export interface Waiting {
  /** Aborted when it does not wait any more. */
  readonly signal: AbortSignal
  readonly onProgress: (message: string) => void
}

export interface McpOutcome extends ToolOutcome {
  /** The same for programs. */
  readonly structured?: Readonly<Record<string, unknown>>
}

/** Ties handler and input type together. */
export function defineMcpTool<Input extends z.ZodObject>(
  tool: Omit<McpTool, 'input' | 'call'> & {
    readonly input: Input
    readonly call: (input: z.output<Input>, waiting: Waiting) => Promise<McpOutcome>
  },
): McpTool {
  return tool as unknown as McpTool
}
