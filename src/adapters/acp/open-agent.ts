import { basename, dirname } from 'node:path'
import { limits } from '../../domain/limits.ts'
import { type AgentFailure, type AgentStart, gatewayInside, type OpenedAgent } from '../../ports/coding-agent.ts'
import type { PlainMount, Sandbox } from '../../ports/sandbox.ts'
import type { RunningProgram } from '../../ports/sandbox-program.ts'
import { scripts, shipped } from '../../processes/installation.ts'
import { AgentBroke } from './agent-broke.ts'
import { type AgentBounds, connectAgent } from './agent-connection.ts'
import { agentProgram } from './agent-program.ts'
import { createSession } from './agent-session.ts'
import { credentialMounts } from './credential-mounts.ts'
import { handshake } from './handshake.ts'
import { writeHomeFiles } from './home-files.ts'

const home = '/home/agent'
const inside = '/.drydock/agent'
const tools = {
  command: `${inside}/node`,
  args: [`${inside}/bridge/${basename(scripts.bridge)}`, `${inside}/tools`],
} as const

export interface CodingAgentsOptions {
  readonly sandbox: Pick<Sandbox, 'start'>
  /** PATH of the host, without folders that an agent can write to. */
  readonly hostPath: string
  readonly bounds?: AgentBounds
}

/** See CodingAgents.open. */
export async function openAgent(
  options: CodingAgentsOptions,
  starting: AgentStart,
  signal: AbortSignal,
): Promise<OpenedAgent> {
  try {
    return await opened(options, starting, signal)
  } catch (error) {
    if (error instanceof AgentBroke) return { ok: false, failure: failure(starting, error) }
    throw error
  }
}

async function opened(options: CodingAgentsOptions, starting: AgentStart, signal: AbortSignal): Promise<OpenedAgent> {
  const { bounds = limits.agents } = options
  const { session, model, authentication, sandbox } = starting
  const program = await start(options, starting, signal)
  const agent = connectAgent(program, bounds)
  const giveUp = () => agent.state.fail(signal.reason)
  signal.addEventListener('abort', giveUp, { once: true })
  if (signal.aborted) giveUp()
  try {
    const { cwd } = sandbox
    const greeted = await handshake(agent, { session, model, authentication, cwd, tools, ...bounds })
    const failureOf = (error: AgentBroke) => failure(starting, error)
    return { ok: true, session: createSession({ agent, greeted, cwd, bounds, failureOf }) }
  } catch (error) {
    await agent.close()
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

function failure({ name }: AgentStart, { kind, message }: AgentBroke): AgentFailure {
  return { kind, message: `The agent ${name} failed: ${message}` }
}

async function start(
  { sandbox, hostPath }: CodingAgentsOptions,
  starting: AgentStart,
  signal: AbortSignal,
): Promise<RunningProgram> {
  const { argv, mounts } = await agentProgram(starting.command, hostPath)
  await writeHomeFiles(starting.home, starting.files([tools.command, ...tools.args]))
  const own: readonly PlainMount[] = [
    ...mounts,
    { path: starting.home, at: home, access: 'write' },
    ...(await credentialMounts(starting, home)),
    { path: process.execPath, at: tools.command, access: 'read' },
    { path: dirname(scripts.bridge), at: `${inside}/bridge`, access: 'read' },
    // Says that the bridge is a module.
    { path: shipped('package.json'), at: `${inside}/package.json`, access: 'read' },
    { path: starting.tools, at: `${inside}/tools`, access: 'read' },
  ]
  const shown = starting.sandbox.mounts.map((mount) =>
    mount.access === 'overlay' ? mount.at : (mount.at ?? mount.path),
  )
  const spec = {
    ...starting.sandbox,
    mounts: [...starting.sandbox.mounts, ...own.filter(({ path, at }) => !shown.includes(at ?? path))],
    env: { ...starting.sandbox.env, HOME: home },
  }
  const { gateway } = starting
  const ports = gateway === null ? [] : [{ port: gatewayInside.port, socket: gateway }]
  const started = await sandbox.start(spec, { argv, ports }, signal)
  if (!started.ok) throw new AgentBroke('sandbox', started.error.errorMessage)
  return started.value
}
