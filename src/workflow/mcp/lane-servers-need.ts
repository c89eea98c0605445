import type { WorkflowDependencies } from '../dependencies.ts'

/** What the MCP servers of lanes work with. */
export type LaneServersNeed = Pick<
  WorkflowDependencies,
  'mcpServers' | 'store' | 'engine' | 'sandboxes' | 'workTrees' | 'redact'
>
