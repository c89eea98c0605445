import { dataSection } from '../../agents/prompts/data-section.ts'
import { readMcpInput } from '../../agents/tools/mcp-input.ts'
import { refuse, type ToolOutcome } from '../../agents/tools/tool.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { agentOf, type Lane } from '../../domain/lane/lane.ts'
import { limits } from '../../domain/limits.ts'
import type { McpTool } from '../../domain/mcp/mcp-tool.ts'
import { withoutUnseen } from '../../domain/mcp/without-unseen.ts'
import { sentence } from '../../domain/sentence.ts'
import { capText } from '../../domain/text.ts'
import type { McpApproval, McpConnection, McpResult, McpServers } from '../../ports/mcp-servers.ts'
import type { Workspace } from '../../ports/work-trees.ts'
import { load, storyOf } from '../machines.ts'
import type { LaneServersDependencies } from './dependencies.ts'
import type { LaneServers, OutsideCall } from './lane-servers.ts'
import { withdrawServer } from './withdraw-server.ts'

interface LaneServer {
  readonly lane: string
  readonly server: string
  /** Number of failed starts and lost connections. */
  failures: number
  connection: McpConnection | null
  /** True if the lane no longer works. */
  isOver: boolean
  /** Must be called once the server has ended by itself. */
  leave: () => void
}

export async function openLaneServers(deps: LaneServersDependencies): Promise<LaneServers> {
  const servers = await deps.mcpServers()
  const open = new Map<string, LaneServer>()
  let isClosed = false

  async function call({ lane, tool, input }: OutsideCall, signal: AbortSignal): Promise<ToolOutcome> {
    const approval = await approvalOf(servers, tool)
    // Another Run has found that the server has changed.
    if (approval?.found) await withdrawServer(deps, { servers, lane, tool, found: approval.found })
    const gone = unavailable({ servers, lane, tool, approval })
    if (gone !== null) return refuse(`\`${tool.name}\` is not available any more: ${gone}. Go on without it.`)
    const read = readMcpInput(tool.inputSchema, input)
    if (!read.ok) return refuse(invalid(tool, read.problems))
    const entry = entryOf(lane, tool)
    const connected = await connection(entry, lane, signal)
    if (!connected.ok) return refuse(connected.message)
    // A server that has changed must never be called.
    const hash = await connected.value.hash(signal)
    if (!hash.ok) return refuse(hash.message)
    if (hash.value !== tool.hash) {
      await end(entry)
      await withdrawServer(deps, { servers, lane, tool, found: hash.value })
      return refuse(`\`${tool.name}\` is not available any more: ${changed}. Go on without it.`)
    }
    const answer = await connected.value.call(tool.tool, read.input, signal)
    if (!answer.ok) return refuse(sentence`${answer.message}. The outcome of this call is not known.`)
    return { ok: answer.value.ok, output: labelled(tool, answer.value.text) }
  }

  function entryOf({ id: lane }: Lane, { server }: McpTool): LaneServer {
    const key = JSON.stringify([lane, server])
    const entry = open.get(key) ?? {
      lane,
      server,
      failures: 0,
      connection: null,
      isOver: false,
      leave: () => undefined,
    }
    open.set(key, entry)
    return entry
  }

  async function connection(entry: LaneServer, lane: Lane, signal: AbortSignal): Promise<McpResult<McpConnection>> {
    if (entry.connection !== null && !entry.connection.isClosed()) return { ok: true, value: entry.connection }
    if (entry.connection !== null) entry.failures += 1
    await end(entry)
    if (entry.failures >= limits.mcp.failures)
      return {
        ok: false,
        message: `The MCP server ${entry.server} has failed ${entry.failures} times. Go on without it.`,
      }
    const settings = servers?.settings.find(({ name }) => name === entry.server)
    const workspace = settings?.isShown === true ? await workspaceOf(deps, lane) : null
    const connected = (await servers?.connect(entry.server, workspace, signal).catch(asFailure)) ?? nothing
    if (!connected.ok) {
      entry.failures += 1
      return connected
    }
    if (isClosed || entry.isOver) {
      await connected.value.close()
      return { ok: false, message: `The MCP server ${entry.server} was ended with its lane.` }
    }
    entry.connection = connected.value
    // The workspace may belong to another story by now, so the server must not read it any longer.
    if (workspace !== null) entry.leave = deps.sandboxes.join(workspace.folder, () => end(entry))
    return connected
  }

  async function end(entry: LaneServer): Promise<void> {
    const { connection, leave } = entry
    entry.connection = null
    entry.leave = () => undefined
    leave()
    await connection?.close()
  }

  const labelled = (tool: McpTool, text: string): string => {
    // A key that is cut in two would no longer be recognized, so the end of a cut text is dropped.
    const { answerChars: mostRead } = limits.mcp
    const near = text.slice(0, mostRead)
    const clean = deps.redact(withoutUnseen(near, near.length))
    const kept = text.length > mostRead ? clean.slice(0, -limits.mcp.quoteChars) : clean
    const capped = capText(kept, limits.toolResultChars - limits.toolResultFrame)
    const more = text.length > mostRead ? `\n(cut: the answer has ${text.length} characters)` : ''
    return dataSection('mcp_result', `${capped}${more}`, ` server="${tool.server}" tool="${tool.name}"`)
  }

  return {
    call,
    async endOver(isOver) {
      for (const [key, entry] of open) {
        if (!(await isOver(entry.lane))) continue
        open.delete(key)
        entry.isOver = true
        await end(entry)
      }
    },
    async closeAll() {
      isClosed = true
      await Promise.all([...open.values()].map(end))
    },
  }
}

const changed = 'its server has other tools than the user approved'
const nothing = { ok: false, message: 'The MCP server is not configured any more.' } as const

async function approvalOf(servers: McpServers | null, { server }: McpTool): Promise<McpApproval | null> {
  const isConfigured = servers?.settings.some(({ name }) => name === server)
  return servers && isConfigured ? servers.approval(server) : null
}

interface ServerQuery {
  readonly servers: McpServers | null
  readonly lane: Lane
  readonly tool: McpTool
  readonly approval: McpApproval | null
}

/** The reason why the tool may not be called, by the present file and approvals of the user. */
function unavailable({ servers, lane, tool, approval }: ServerQuery): string | null {
  const settings = servers?.settings.find(({ name }) => name === tool.server)
  if (!servers || settings === undefined) return 'the user has removed its server'
  if (!settings.roles.includes(agentOf(lane.data.role))) return 'its server is not for this role'
  if (approval === null) return 'the user has not approved its server'
  if (approval.problem !== null || approval.hash !== tool.hash) return changed
  return approval.offered.tools.some((each) => each.tool === tool.tool) ? null : 'its server has it no more'
}

function invalid({ name, inputSchema }: McpTool, problems: string): string {
  const takes = capText(JSON.stringify(inputSchema), limits.schemaChars)
  return `The input of \`${name}\` is not valid:\n${problems}\nIt takes, as JSON Schema: ${takes}`
}

async function workspaceOf({ store, workTrees }: LaneServersDependencies, lane: Lane): Promise<Workspace | null> {
  const story = await storyOf(store, lane)
  const slot = story?.data.slot ?? (await load(store, 'run', lane.run)).data.slot
  return slot === null ? null : { folder: workTrees.path(slot), history: workTrees.history(slot) }
}

/** For example if a variable is no longer set. */
function asFailure(error: unknown): McpResult<never> {
  if (error instanceof DrydockError) return { ok: false, message: error.message }
  throw error
}
