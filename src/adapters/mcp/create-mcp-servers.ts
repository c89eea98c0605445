import { DrydockError } from '../../domain/drydock-error.ts'
import type { JsonObject } from '../../domain/json.ts'
import { offeredTools, type ToolOffer } from '../../domain/mcp/offered-tools.ts'
import type { McpServerSettings } from '../../domain/mcp/server-settings.ts'
import type { Redact } from '../../domain/secrets/redact.ts'
import { redactedData } from '../../domain/secrets/redacted-data.ts'
import type { Clock } from '../../ports/clock.ts'
import type { McpApproval, McpResult, McpServers } from '../../ports/mcp-servers.ts'
import type { Sandbox } from '../../ports/sandbox.ts'
import type { Workspace } from '../../ports/work-trees.ts'
import { type ApprovalRecord, createApprovals, targetOf } from './approvals.ts'
import { connectServer, type ServerConnection } from './connect-server.ts'
import { hashOf } from './definitions-hash.ts'
import { httpTransport } from './http-transport.ts'
import { programTransport } from './program-transport.ts'
import { ServerBroke } from './server-broke.ts'
import { startServer } from './start-server.ts'

export interface McpServersOptions {
  readonly settings: readonly McpServerSettings[]
  readonly sandbox: Pick<Sandbox, 'start'>
  readonly hostPath: string
  /** The path of a workspace inside a sandbox. */
  readonly inside: string
  /** The folder that holds the approvals. */
  readonly folder: string
  readonly clock: Clock
  readonly version: string
  readonly redact: Redact
  /** Names of Drydock's own tools. */
  readonly taken: readonly string[]
  /** The reason why input cannot be checked against a schema; null if it can. */
  readonly schemaProblem: (schema: JsonObject) => string | null
}

/** The user's MCP servers: programs, each in its own sandbox, and URLs. */
export function createMcpServers(options: McpServersOptions): McpServers {
  const { settings: all, sandbox, hostPath, inside, clock, version, redact, taken, schemaProblem } = options
  const approvals = createApprovals(options.folder)

  function settingsOf(name: string): McpServerSettings {
    const settings = all.find((each) => each.name === name)
    if (settings !== undefined) return settings
    const names = all.map((each) => each.name).join(', ')
    const todo = names === '' ? 'Add it to "mcp" in your own configuration: docs/mcp-tools.md' : `There are: ${names}`
    throw new DrydockError('mcp_failed', `There is no MCP server ${JSON.stringify(name)}.`, { todo })
  }

  function offer(
    { name: server, roles }: McpServerSettings,
    definitions: ApprovalRecord['definitions'],
    hash: string,
  ): ToolOffer {
    const { tools, leftOut } = offeredTools(definitions, { server, roles, hash, taken })
    const problems = new Map(tools.map((tool) => [tool, schemaProblem(tool.inputSchema)]))
    return {
      tools: tools.filter((tool) => problems.get(tool) === null),
      leftOut: [...leftOut, ...tools.flatMap((tool) => named(tool.tool, problems.get(tool) ?? null))],
    }
  }

  async function approval(name: string): Promise<McpApproval | null> {
    const settings = settingsOf(name)
    const approved = await approvals.read(name)
    if (approved === null) return null
    const { hash, at, definitions, found } = approved
    return { hash, at, found, offered: offer(settings, definitions, hash), problem: problemOf(approved, settings) }
  }

  async function connected(name: string, workspace: Workspace | null, signal: AbortSignal): Promise<ServerConnection> {
    const settings = settingsOf(name)
    if (settings.url !== null) {
      const transport = httpTransport({ url: settings.url, headers: settings.values().headers })
      return connectServer({ settings, transport, version }, signal)
    }
    const program = await startServer({ sandbox, hostPath, settings, workspace, inside }, signal)
    return connectServer({ settings, transport: programTransport(program), version }, signal)
  }

  return {
    settings: all,
    approval,
    async offered() {
      const each = await Promise.all(
        all.map(async ({ name, roles }) => {
          const approved = roles.length === 0 ? null : await approval(name)
          return approved === null || approved.problem !== null ? [] : approved.offered.tools
        }),
      )
      return each.flat()
    },
    look: (name, signal) =>
      told(async () => {
        const connection = await connected(name, null, signal)
        try {
          const listed = await connection.definitions(signal)
          if (!listed.ok) throw new ServerBroke(listed.message)
          // The definitions would be stored, and sent to models.
          if (redactedData(listed.value, redact) !== listed.value)
            throw new ServerBroke(`What the MCP server ${name} says of its tools holds a secret.`)
          const hash = hashOf(listed.value)
          return { hash, definitions: listed.value, offered: offer(settingsOf(name), listed.value, hash) }
        } finally {
          await connection.close()
        }
      }),
    async approve(name, { hash, definitions }) {
      const target = targetOf(settingsOf(name))
      await approvals.write(name, { hash, at: clock.now().toISOString(), target, definitions, found: null })
    },
    revoke: (name) => approvals.remove(name),
    async withdraw(name, found) {
      const approved = await approvals.read(name)
      if (approved !== null && approved.hash !== found) await approvals.write(name, { ...approved, found })
    },
    connect: (name, workspace, signal) => told(() => connected(name, workspace, signal)),
  }
}

function problemOf({ target, found }: ApprovalRecord, settings: McpServerSettings): string | null {
  if (target !== targetOf(settings)) return 'its command or URL has changed since its tools were approved'
  return found === null ? null : 'it has other tools than those that were approved'
}

function named(tool: string, problem: string | null): ToolOffer['leftOut'] {
  return problem === null ? [] : [{ tool, problem }]
}

async function told<T>(work: () => Promise<T>): Promise<McpResult<T>> {
  try {
    return { ok: true, value: await work() }
  } catch (error) {
    if (error instanceof ServerBroke) return { ok: false, message: error.message }
    throw error
  }
}
