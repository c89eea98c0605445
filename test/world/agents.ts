import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { relative } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { text as textOfStream } from 'node:stream/consumers'
import { ndJsonStream } from '@agentclientprotocol/sdk'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { onTestFinished } from 'vitest'
import { AgentBroke } from '../../src/adapters/acp/agent-broke.ts'
import { connectAgent } from '../../src/adapters/acp/agent-connection.ts'
import { createSession } from '../../src/adapters/acp/agent-session.ts'
import { handshake } from '../../src/adapters/acp/handshake.ts'
import { createAgentToolServers } from '../../src/adapters/agent-tools/agent-tool-servers.ts'
import { createAgentHomes } from '../../src/adapters/artifacts/agent-homes.ts'
import { createGates } from '../../src/adapters/models/gate.ts'
import { createModelGateways } from '../../src/adapters/models/gateway/create-gateways.ts'
import type { Drydock } from '../../src/app/drydock.ts'
import { readModelVariables } from '../../src/config/environment.ts'
import { modelTimeouts } from '../../src/config/model-timeouts.ts'
import { limits } from '../../src/domain/limits.ts'
import type { AgentStart, CodingAgents, OpenedAgent } from '../../src/ports/coding-agent.ts'
import type { Sandbox } from '../../src/ports/sandbox.ts'
import type { ProgramEnd, RunningProgram } from '../../src/ports/sandbox-program.ts'
import type { AgentScript, ScriptedTurn } from '../acp/agent-script.ts'
import type { Hands } from '../acp/do-step.ts'
import { playAgent } from '../acp/play-agent.ts'
import { scripted } from '../scenarios/world/agent.ts'
import { configureUser } from '../scenarios/world/hook.ts'
import { createMemoryFixture, type MemoryFixture, type WorldOptions } from './fixture.ts'

interface MemoryAgentOptions {
  readonly turns: readonly ScriptedTurn[]
  readonly script?: Omit<AgentScript, 'turns'>
  readonly fixture?: WorldOptions
  /** Further settings of its entry in the user's configuration. */
  readonly agent?: { readonly provider?: string; readonly model?: string; readonly env?: object }
  readonly user?: object
}

/**
 * A repository in memory whose editor is the scripted agent: the protocol is real, the process is
 * not.
 */
export async function createMemoryAgentFixture({
  turns,
  script,
  fixture = {},
  agent = {},
  user = {},
}: MemoryAgentOptions): Promise<MemoryFixture> {
  const said: AgentScript = { loads: true, ...script, turns }
  const made = await createMemoryFixture({ ...fixture, extend: (drydock) => partsOf(drydock, said, agent) })
  onTestFinished(() => made.remove())
  await configureUser(made, { ...user, agents: { scripted: { command: [scripted], ...agent } } })
  return made
}

function partsOf(
  { user, env, clock, redact, sandbox, state }: Drydock,
  script: AgentScript,
  { provider = null, model = null }: { readonly provider?: string | null; readonly model?: string | null },
): Partial<Drydock> {
  const settings = {
    command: [scripted],
    credentials: [],
    provider,
    model,
    env: {},
    files: () => ({}),
    readOnlyPaths: [],
    authentication: null,
  }
  const timeouts = modelTimeouts(user)
  const given = { providers: user.providers, env: readModelVariables(env, user.providers), gates: createGates(clock) }
  return {
    agent: () => settings,
    foreign: {
      agents: agentsIn(sandbox, script),
      settings: async () => settings,
      tools: createAgentToolServers('0'),
      gateways: createModelGateways({ ...given, timeouts, clock, redact }),
      homes: createAgentHomes(state),
    },
  }
}

/** Agents that act in the sandbox in which they were started. */
function agentsIn(sandbox: Sandbox, script: AgentScript): CodingAgents {
  return {
    async open(starting, signal): Promise<OpenedAgent> {
      signal.throwIfAborted()
      const failureOf = ({ kind, message }: AgentBroke) => ({
        kind,
        message: `The agent ${starting.name} failed: ${message}`,
      })
      const bounds = limits.agents
      const agent = connectAgent(startAgent(sandbox, script, starting), bounds)
      const giveUp = () => agent.state.fail(signal.reason)
      signal.addEventListener('abort', giveUp, { once: true })
      const { session, model, authentication, sandbox: spec } = starting
      const tools = { command: 'tools', args: [] }
      try {
        const greeted = await handshake(agent, { session, model, authentication, cwd: spec.cwd, tools, ...bounds })
        return { ok: true, session: createSession({ agent, greeted, cwd: spec.cwd, bounds, failureOf }) }
      } catch (error) {
        await agent.close()
        if (error instanceof AgentBroke) return { ok: false, failure: failureOf(error) }
        throw error
      } finally {
        signal.removeEventListener('abort', giveUp)
      }
    },
  }
}

function startAgent(sandbox: Sandbox, script: AgentScript, starting: AgentStart): RunningProgram {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const { promise: ended, resolve } = Promise.withResolvers<ProgramEnd>()
  let lastWords = ''
  const end = (exitCode: number | null) => {
    stdout.end()
    resolve({ exitCode, spaceTaken: null })
  }
  stdin.once('end', () => end(0))
  mkdirSync(starting.home, { recursive: true })
  const hands = handsIn(sandbox, starting, {
    raw: (line) => void stdout.write(`${line}\n`),
    complain(line) {
      lastWords += `${line}\n`
    },
    die: (code) => end(code),
  })
  // Output after its end is discarded.
  const output = new Writable({
    write(chunk, _, done) {
      if (stdout.writable) stdout.write(chunk)
      done()
    },
  })
  playAgent(script, {
    stream: ndJsonStream(Writable.toWeb(output), Readable.toWeb(stdin) as ReadableStream<Uint8Array>),
    home: starting.home,
    hands,
  })
  return { stdin, stdout, lastWords: () => lastWords, ended, close: async () => end(null) }
}

function handsIn(
  sandbox: Sandbox,
  { sandbox: spec, tools, gateway }: AgentStart,
  own: Pick<Hands, 'raw' | 'complain' | 'die'>,
): Hands {
  const never = new AbortController().signal
  const below = (path: string) => relative(spec.cwd, path)
  async function session() {
    const opened = await sandbox.open(spec, never)
    if (!opened.ok) throw new Error(opened.error.errorMessage)
    return opened.value
  }
  return {
    ...own,
    async write(path, written) {
      const to = await session()
      const before = await to.request({ op: 'hash', path: below(path) }, never)
      if (!before.ok) throw new Error(before.message)
      const base64 = Buffer.from(written).toString('base64')
      const done = await to.request({ op: 'write', path: below(path), base64, before: before.value.sha256 }, never)
      if (!done.ok) throw new Error(`Read-only file system: ${done.message}`)
    },
    async read(path) {
      const found = await (await session()).request({ op: 'read', path: below(path), maxBytes: 1_000_000 }, never)
      if (!found.ok) throw new Error(found.message)
      return Buffer.from(found.value.base64, 'base64').toString()
    },
    async run(command, cwd) {
      let output = ''
      const onOutput = (chunk: Buffer) => {
        output += chunk
      }
      const done = await sandbox.exec({ ...spec, cwd }, { command, onOutput, timeoutSec: 60 } as never, never)
      return { status: done.ok ? done.value.exitCode : null, output }
    },
    leave: () => undefined,
    async whenThere(path) {
      const to = await session()
      for (;;) {
        const found = await to.request({ op: 'hash', path: below(path) }, never)
        if (found.ok && found.value.sha256 !== null) return
        await new Promise(setImmediate)
      }
    },
    async openTools() {
      const socket = connect(tools)
      await once(socket, 'connect')
      return new StdioServerTransport(socket, socket) as never
    },
    async post(path, body, headers) {
      const sent = request({ socketPath: gateway ?? '', path, method: 'POST', headers: { ...headers, host: 'model' } })
      sent.end(JSON.stringify(body))
      const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage]
      return `${response.statusCode} ${await textOfStream(response)}`
    },
    connect: async () => {
      throw new Error('there is no network in memory')
    },
    environment: spec.env,
  }
}
