import type { Installation } from '../../app/installation.ts'
import type { McpTool } from '../../domain/mcp/mcp-tool.ts'
import type { McpServerSettings } from '../../domain/mcp/server-settings.ts'
import type { Output } from './output.ts'

type Servers = NonNullable<Awaited<ReturnType<Installation['mcpServers']>>>
type ServerLook = Extract<Awaited<ReturnType<Servers['look']>>, { ok: true }>['value']

export interface ServerRow {
  readonly settings: McpServerSettings
  readonly approval: Awaited<ReturnType<Servers['approval']>>
  /** The server's current tools; absent if it was not asked. */
  readonly look?: ServerLook
}

export function asJson({ settings: { name, roles }, approval, look }: ServerRow): object {
  const { tools, leftOut } = look?.offered ?? approval?.offered ?? { tools: [], leftOut: [] }
  return {
    type: 'mcp_server',
    server: name,
    roles,
    standing: standingOf(approval),
    hash: look?.hash ?? approval?.hash ?? null,
    approved_hash: approval?.hash ?? null,
    tools: tools.map(({ name: called, description, inputSchema, isReadOnly }) => ({
      name: called,
      description,
      read_only: isReadOnly,
      input_schema: inputSchema,
    })),
    left_out: leftOut,
  }
}

/** Prints one server in a few lines. */
export function sayServer(output: Output, { settings, approval }: ServerRow): void {
  const { name, roles, command, url } = settings
  const fine = approval !== null && approval.problem === null
  output.say(`${output.screen.paint(fine ? 'good' : 'bad', name)}  ${url ?? command?.join(' ')}`)
  output.say(`  for ${roles.length === 0 ? 'nobody' : roles.join(', ')}; ${wordsOf(approval)}`)
  if (!fine) output.say(`  → drydock mcp-servers approve ${name}`)
}

/**
 * Prints the tools of a server as agents would get them, and the differences from the approved
 * ones.
 */
export function sayTools(output: Output, { settings, approval, look }: ServerRow): void {
  if (look === undefined) return
  const { tools, leftOut } = look.offered
  const before = new Map(approval?.offered.tools.map((tool) => [tool.name, textOf(tool)]))
  output.say(`${settings.name} has ${tools.length + leftOut.length} tools (${look.hash}).`)
  for (const tool of tools) {
    const known = before.get(tool.name)
    const change = approval === null || known === textOf(tool) ? '' : known === undefined ? ', new' : ', CHANGED'
    output.say(`\n${tool.name}  (${tool.isReadOnly ? 'says that it only reads' : 'may change something'}${change})`)
    for (const line of tool.description.split('\n')) output.say(`  | ${line}`)
    output.say(`  takes ${JSON.stringify(tool.inputSchema)}`)
    before.delete(tool.name)
  }
  if (leftOut.length > 0) output.say('')
  for (const { tool, problem } of leftOut) output.say(`No agent gets ${tool}: ${problem}.`)
  for (const name of before.keys()) output.say(`It has ${name} no more.`)
}

function standingOf(approval: ServerRow['approval']): 'approved' | 'changed' | 'not_approved' {
  if (approval === null) return 'not_approved'
  return approval.problem === null ? 'approved' : 'changed'
}

function wordsOf(approval: ServerRow['approval']): string {
  if (approval === null) return 'not approved, so no agent has its tools'
  if (approval.problem !== null) return `withdrawn: ${approval.problem}`
  return `${approval.offered.tools.length} tools approved at ${approval.at}`
}

function textOf({ description, inputSchema, isReadOnly }: McpTool): string {
  return JSON.stringify([description, inputSchema, isReadOnly])
}
