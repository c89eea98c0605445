import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import type { AgentBounds } from '../../src/adapters/acp/agent-connection.ts'
import { createCodingAgents } from '../../src/adapters/acp/create-coding-agents.ts'
import { createBubblewrap } from '../../src/adapters/sandbox/bubblewrap.ts'
import { limits } from '../../src/domain/limits.ts'
import {
  type AgentSession,
  type AgentStart,
  type AgentUpdate,
  type CodingAgents,
  gatewayInside,
  type OpenedAgent,
  type TurnEnd,
} from '../../src/ports/coding-agent.ts'
import type { Sandbox } from '../../src/ports/sandbox.ts'
import type { AgentScript, Step } from './agent-script.ts'
import { agentCommand, installAgent } from './install-agent.ts'

const never = new AbortController().signal
const mebibyte = 1_048_576
const inside = '/repo'

export interface TurnOutput {
  readonly end: TurnEnd
  readonly updates: readonly AgentUpdate[]
}

export interface AgentWorld {
  readonly folder: string
  /** Path on the host; the agent sees it at `/repo`. */
  readonly workspace: string
  readonly home: string
  readonly agents: CodingAgents
  starting(script: AgentScript, change?: Partial<AgentStart>): AgentStart
  open(script: AgentScript, change?: Partial<AgentStart>): Promise<OpenedAgent>
  /** Opens a session that is closed with the test. */
  session(script: AgentScript, change?: Partial<AgentStart>): Promise<AgentSession>
  /** Sends one prompt to an agent with these steps. */
  turn(steps: readonly Step[], change?: Partial<AgentStart>): Promise<TurnOutput>
}

export interface WorldChange {
  readonly bounds?: Partial<AgentBounds>
  readonly sandbox?: Sandbox
  readonly access?: 'read' | 'write'
}

/** A host with the scripted agent on its PATH, a gateway and a socket of tools. */
export async function agentWorld({ bounds = {}, access = 'write', ...change }: WorldChange = {}): Promise<AgentWorld> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'drydock-agent-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [workspace, home] = [join(folder, 'workspace'), join(folder, 'home')] as const
  for (const path of [workspace, home]) mkdirSync(path)
  writeFileSync(join(workspace, 'readme.md'), 'A workspace.\n')
  const hostPath = `${await installAgent(join(folder, 'installed'))}:${process.env.PATH}`
  const sandbox = change.sandbox ?? createBubblewrap({ hostPath })
  const gateway = await gatewayAt(join(folder, 'gateway.sock'))
  const tools = await toolsAt(join(folder, 'tools.sock'))
  const agents = createCodingAgents({ sandbox, hostPath, bounds: { ...limits.agents, ...bounds } })

  function starting(script: AgentScript, start: Partial<AgentStart> = {}): AgentStart {
    return {
      name: 'scripted',
      command: agentCommand(script),
      model: null,
      authentication: null,
      session: null,
      sandbox: {
        mounts: [{ path: workspace, at: inside, access }],
        cwd: inside,
        env: { BASE_URL: gatewayInside.url },
        limits: {
          memoryBytes: 2_048 * mebibyte,
          fileBytes: 64 * mebibyte,
          openFiles: 4_096,
          tmpfsBytes: 64 * mebibyte,
        },
      },
      home,
      files: () => ({}),
      credentials: [],
      gateway,
      tools,
      ...start,
    }
  }

  async function session(script: AgentScript, start?: Partial<AgentStart>): Promise<AgentSession> {
    const opened = await agents.open(starting(script, start), never)
    if (!opened.ok) throw new Error(opened.failure.message)
    onTestFinished(() => opened.session.close())
    return opened.session
  }

  return {
    folder,
    workspace,
    home,
    agents,
    starting,
    session,
    open: (script, start) => agents.open(starting(script, start), never),
    async turn(steps, start) {
      return prompted(await session({ turns: [{ steps }] }, start), 'Go.')
    },
  }
}

/** Prompts once; returns the end of the turn and the updates until then. */
export async function prompted(session: AgentSession, text: string, signal = never): Promise<TurnOutput> {
  const updates: AgentUpdate[] = []
  const end = await session.prompt(text, (update) => updates.push(update), signal)
  return { end, updates }
}

/** Outputs of the finished calls, each after its status. */
export function outputs({ updates }: Pick<TurnOutput, 'updates'>): readonly string[] {
  return updates.flatMap((update) =>
    update.type === 'tool' && update.status !== 'in_progress' ? [`${update.status}: ${update.output}`] : [],
  )
}

/** Command lines on this machine with this start. */
export function alive(start: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      } catch {
        // The process ended while /proc was read.
        return ''
      }
    })
    .filter((line) => line.startsWith(start))
}

/** A model server that answers with its request. */
async function gatewayAt(path: string): Promise<string> {
  const server = createHttpServer(async (request, response) => {
    response.write(`${request.method} ${request.url} `)
    request.pipe(response)
  })
  await once(server.listen(path), 'listening')
  onTestFinished(() => void server.close())
  return path
}

/** An MCP server with the tool `shout`. */
async function toolsAt(path: string): Promise<string> {
  const server = createServer(async (client) => {
    client.on('error', () => undefined)
    for await (const line of createInterface({ input: client })) {
      const { id, method, params } = JSON.parse(line)
      if (id === undefined) continue
      const result = toolAnswer(method, params)
      client.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
    }
  })
  await once(server.listen(path), 'listening')
  onTestFinished(() => void server.close())
  return path
}

function toolAnswer(method: string, params: { protocolVersion?: string; arguments?: { text?: string } }): unknown {
  if (method === 'initialize') {
    const serverInfo = { name: 'tools', version: '1.0.0' }
    return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo }
  }
  if (method === 'tools/list') return { tools: [{ name: 'shout', inputSchema: { type: 'object' } }] }
  return { content: [{ type: 'text', text: `${params.arguments?.text?.toUpperCase()}!` }] }
}
