import { stat } from 'node:fs/promises'
import { basename, dirname, join, normalize } from 'node:path'
import { limits } from '../../domain/limits.ts'
import { type AgentFailure, type AgentStart, gatewayInside, type OpenedAgent } from '../../ports/coding-agent.ts'
import type { PlainMount, Sandbox } from '../../ports/sandbox.ts'
import type { RunningProgram } from '../../ports/sandbox-program.ts'
import { scripts, shipped } from '../../processes/installation.ts'
import { programAround } from '../../processes/program-around.ts'
import { AgentBroke } from './agent-broke.ts'
import { type AgentBounds, connectAgent } from './agent-connection.ts'
import { createSession } from './agent-session.ts'
import { handshake } from './handshake.ts'
import { writeHomeFile, writeHomeFiles } from './home-files.ts'

const home = '/home/agent'
const inside = '/.drydock/agent'
const tools = {
  command: `${inside}/node`,
  args: [`${inside}/bridge/${basename(scripts.bridge)}`, `${inside}/tools`],
} as const

export interface CodingAgentsOptions {
  readonly sandbox: Pick<Sandbox, 'start'>
  /** PATH of the host, without the folders that an agent can write to. */
  readonly hostPath: string
  readonly bounds?: AgentBounds
}

/** Implements `CodingAgents.open`. */
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
    // Tells Node that the bridge is an ES module.
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

interface AgentProgram {
  /** The command line inside the sandbox. */
  readonly argv: readonly [string, ...string[]]
  /** The program with its package, and the interpreter that its first line names. */
  readonly mounts: readonly PlainMount[]
}

/**
 * Finds an agent's program on the host. Its files are mounted in the sandbox under the same paths.
 */
async function agentProgram(command: readonly string[], hostPath: string): Promise<AgentProgram> {
  const found = await programAround(command, hostPath)
  if (typeof found === 'string') throw new AgentBroke('missing', found)
  return { argv: found.argv, mounts: found.shown.map((path) => ({ path, access: 'read' })) }
}

/** Mounts of the user's credentials into an agent's home. */
async function credentialMounts(
  { credentials, home }: Pick<AgentStart, 'credentials' | 'home'>,
  homeInside: string,
): Promise<readonly PlainMount[]> {
  const mounts: PlainMount[] = []
  for (const { path, at } of credentials) {
    const way = normalize(at)
    if (way.startsWith('/') || way.split('/').includes('..') || way === '.')
      throw new AgentBroke('sandbox', `the place of a credential is not inside the home: ${at}`)
    const stats = await stat(path).catch(() => null)
    if (!stats?.isFile()) throw new AgentBroke('missing', `there is no file ${path}, which its credentials name`)
    await writeHomeFile(home, way, '')
    mounts.push({ path, at: join(homeInside, way), access: 'read' })
  }
  return mounts
}
