import type { Sandbox } from '../ports/sandbox.ts'
import type { Slot } from '../ports/work-trees.ts'
import type { McpReading } from './mcp-reading.ts'
import { type McpAnswers, mcpTools } from './mcp-tools.ts'
import { type McpServing, serveMcp } from './serve-mcp.ts'
import { createSlotReaders } from './slot-readers.ts'

/** What comes from who asked for it. */
export interface StateServing extends McpServing, McpAnswers {}

interface ServedState extends Omit<McpReading, 'readers'>, StateServing {
  readonly sandbox: Sandbox
  /** The slots that there are at each call. */
  readonly slots: () => readonly Slot[]
  /** Absolute path of the mirror. */
  readonly mirror: string
  /** Removes secrets from what the client gets. */
  readonly redact: (text: string) => string
}

/** Serves a state to an MCP client, beside whoever owns it, until the client has gone. */
export async function serveState(served: ServedState): Promise<void> {
  const readers = createSlotReaders(served)
  const { workspaces, artifacts, openRecords } = served
  const tools = mcpTools({ workspaces, artifacts, openRecords, readers }, served)
  await serveMcp({ ...served, tools }).finally(() => readers.close())
}
