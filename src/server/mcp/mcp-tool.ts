import type { z } from 'zod'
import type { ToolOutcome } from '../../agents/tools/tool.ts'

/** A tool as an MCP client sees it. */
export interface McpTool {
  readonly name: string
  readonly purpose: string
  readonly input: z.ZodObject
  /** True if the tool changes nothing. */
  readonly readOnly: boolean
  /** Set if a call lasts as long as the work: it has no time limit, and reports progress. */
  readonly isWork?: true
  /** Called with checked input. The client also receives thrown errors. */
  readonly call: (input: unknown, waiting: Waiting) => Promise<McpOutcome>
}

/** A client that waits for the result of a call. */
export interface Waiting {
  /** Aborted when the client no longer waits. */
  readonly signal: AbortSignal
  readonly onProgress: (message: string) => void
}

export interface McpOutcome extends ToolOutcome {
  /** The result for programs. */
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
