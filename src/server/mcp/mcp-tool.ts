import type { z } from 'zod'
import type { ToolOutcome } from '../../agents/tools/tool.ts'

/** A tool as an MCP client is told of it. */
export interface McpTool {
  readonly name: string
  readonly purpose: string
  readonly input: z.ZodObject
  /** Whether it changes nothing. */
  readonly readOnly: boolean
  /** With input that was checked. What it throws is told to the client, too. */
  readonly call: (input: unknown, signal: AbortSignal) => Promise<ToolOutcome>
}

/** Ties handler and input type together. */
export function defineMcpTool<Input extends z.ZodObject>(
  tool: Omit<McpTool, 'input' | 'call'> & {
    readonly input: Input
    readonly call: (input: z.output<Input>, signal: AbortSignal) => Promise<ToolOutcome>
  },
): McpTool {
  return tool as unknown as McpTool
}
