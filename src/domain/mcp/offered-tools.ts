import type { Json } from '../json.ts'
import { limits } from '../limits.ts'
import type { McpDefinition } from './definition.ts'
import type { McpTool } from './mcp-tool.ts'
import { passedSchema } from './passed-schema.ts'
import { nameHash, providerName } from './provider-name.ts'
import { withoutUnseen } from './without-unseen.ts'

export interface ToolOffer {
  readonly tools: readonly McpTool[]
  /** Tools that no model gets, and the reasons. */
  readonly leftOut: readonly { readonly tool: string; readonly problem: string }[]
}

interface Offering {
  readonly server: string
  readonly roles: readonly string[]
  readonly hash: string
  /** Names of tools that a lane may already have. */
  readonly taken: readonly string[]
}

/** The tools of a server as models get them, built from the approved definitions only. */
export function offeredTools(definitions: readonly McpDefinition[], offering: Offering): ToolOffer {
  const { server, roles, hash, taken } = offering
  const tools: McpTool[] = []
  const leftOut: { tool: string; problem: string }[] = []
  let chars = 0
  for (const { name: tool, description, inputSchema, annotations } of definitions) {
    const leave = (problem: string) =>
      void leftOut.push({ tool: withoutUnseen(tool, 100).replace(/\s+/g, ' '), problem })
    const name = `${server}_${shownName(tool)}`
    const hasItsName = (other: McpTool) => providerName(other.name) === providerName(name)
    if (taken.includes(name)) leave('Drydock has a tool of that name')
    else if (tools.some(hasItsName)) leave('another tool of the server has that name')
    else {
      const schema = passedSchema(inputSchema)
      if (!schema.ok) {
        leave(schema.problem)
        continue
      }
      const shown = withoutUnseen(description, limits.mcp.descriptionChars)
      chars += shown.length + JSON.stringify(schema.schema).length
      if (tools.length === limits.mcp.tools) leave(`a server has at most ${limits.mcp.tools} tools`)
      else if (chars > limits.mcp.offerChars)
        leave(`the tools of a server have at most ${limits.mcp.offerChars} characters`)
      else
        tools.push({
          name,
          server,
          tool,
          hash,
          roles,
          description: shown,
          inputSchema: schema.schema,
          isReadOnly: isReadOnly(annotations),
        })
    }
  }
  return { tools, leftOut }
}

/** The tool's own name if it is fully visible on one line of usual length. */
function shownName(tool: string): string {
  const shown = withoutUnseen(tool, limits.mcp.nameChars).replace(/\s+/g, ' ')
  return shown === tool ? tool : `${shown}…${nameHash(tool)}`
}

function isReadOnly(annotations: Json): boolean {
  return typeof annotations === 'object' && annotations !== null && 'readOnlyHint' in annotations
    ? annotations.readOnlyHint === true
    : false
}
