import { methods } from '@agentclientprotocol/sdk'
import { z } from 'zod'
import type { AgentStart } from '../../ports/coding-agent.ts'
import { AgentBroke, quoted } from './agent-broke.ts'
import type { AgentBounds, AgentConnection } from './agent-connection.ts'
import { introduction } from './client-side.ts'

const authRequired = -32_000

const initialized = z.looseObject({
  protocolVersion: z.number(),
  agentInfo: z
    .looseObject({ name: z.string(), version: z.string().catch('') })
    .nullish()
    .catch(null),
  agentCapabilities: z.looseObject({ loadSession: z.boolean().catch(false) }).catch({ loadSession: false }),
  authMethods: z.array(z.looseObject({ id: z.string() })).catch([]),
})
const opened = z.looseObject({ sessionId: z.string().min(1).max(1_000) })

const choice = z.looseObject({ value: z.string() })
const modelOption = z.looseObject({
  id: z.string(),
  category: z.literal('model'),
  options: z.array(z.union([choice, z.looseObject({ options: z.array(choice) }).transform(({ options }) => options)])),
})
const configured = z.looseObject({ configOptions: z.array(z.unknown()).catch([]) })

export interface Handshake {
  readonly id: string
  readonly isLoaded: boolean
  readonly version: string | null
  readonly canLoad: boolean
}

export interface Greeting
  extends Pick<AgentStart, 'session' | 'model' | 'authentication'>,
    Pick<AgentBounds, 'startSec' | 'sessionSec' | 'openSec'> {
  readonly cwd: string
  readonly tools: { readonly command: string; readonly args: readonly string[] }
}

/**
 * Greets an agent and opens its session, or the earlier one if possible. Throws an `AgentBroke`.
 */
export async function handshake(agent: AgentConnection, greeting: Greeting): Promise<Handshake> {
  const { openSec } = greeting
  // An agent that keeps writing would never be ended for its silence.
  const late = setTimeout(() => {
    agent.state.fail(new AgentBroke('silent', `it was not ready after ${openSec} seconds`))
  }, openSec * 1_000)
  return greet(agent, greeting).finally(() => clearTimeout(late))
}

async function greet(agent: AgentConnection, greeting: Greeting): Promise<Handshake> {
  const { startSec, sessionSec, session, model } = greeting
  const hello = await agent.ask('initialize', startSec, (it) => it.request(methods.agent.initialize, introduction()))
  const { protocolVersion, agentInfo, agentCapabilities, authMethods } = read(initialized, hello, 'initialize')
  if (protocolVersion !== 1)
    throw new AgentBroke('unfit', `it speaks version ${protocolVersion} of the protocol; Drydock speaks version 1`)
  const canLoad = agentCapabilities.loadSession
  const place = {
    cwd: greeting.cwd,
    mcpServers: [{ name: 'drydock', ...greeting.tools, args: [...greeting.tools.args], env: [] }],
  }
  const loaded = session !== null && canLoad ? await load(session) : null
  const { id, answer } = loaded ?? (await open())
  await chooseModel(id, answer)
  const version = agentInfo ? quoted(`${agentInfo.name} ${agentInfo.version}`) : null
  return { id, isLoaded: loaded !== null, version, canLoad }

  async function load(sessionId: string) {
    const answer = await authenticated(methods.agent.session.load, () =>
      agent.ask('session/load', sessionSec, (it) => it.request(methods.agent.session.load, { ...place, sessionId })),
    ).catch((error: unknown) => {
      // The agent has forgotten the session.
      if (error instanceof AgentBroke && error.kind === 'refused') return null
      throw error
    })
    return answer === null ? null : { id: sessionId, answer }
  }

  async function open() {
    const answer = await authenticated(methods.agent.session.new, () =>
      agent.ask('session/new', sessionSec, (it) => it.request(methods.agent.session.new, place)),
    )
    return { id: read(opened, answer, 'session/new').sessionId, answer }
  }

  /** Sends the request again after the authentication that the agent asks for. */
  async function authenticated<T>(what: string, send: () => Promise<T>): Promise<T> {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof AgentBroke) || error.code !== authRequired) throw error
      const methodId = greeting.authentication
      if (methodId === null) throw new AgentBroke('unfit', `it asks for a login before ${what}: ${waysIn()}`)
      await agent.ask('authenticate', sessionSec, (it) => it.request(methods.agent.authenticate, { methodId }))
      return send()
    }
  }

  function waysIn(): string {
    return quoted(authMethods.map(({ id }) => id).join(', ')) || 'it names no way'
  }

  /**
   * Only for agents that offer models through the protocol; the others read theirs from their
   * settings.
   */
  async function chooseModel(sessionId: string, answer: unknown): Promise<void> {
    const options = configured.safeParse(answer).data?.configOptions ?? []
    const option = options.map((one) => modelOption.safeParse(one).data).find((one) => one !== undefined)
    const offered = option?.options.flat().some(({ value }) => value === model) ?? false
    if (option === undefined || model === null || !offered) return
    const chosen = { sessionId, configId: option.id, value: model }
    await agent.ask('session/set_config_option', sessionSec, (it) =>
      it.request(methods.agent.session.setConfigOption, chosen),
    )
  }
}

function read<T>(schema: z.ZodType<T>, answer: unknown, what: string): T {
  const result = schema.safeParse(answer)
  if (result.success) return result.data
  throw new AgentBroke(
    'malformed',
    `its answer to ${what} is not the protocol: ${quoted(z.prettifyError(result.error))}`,
  )
}
