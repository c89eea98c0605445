import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate, setTimeout } from 'node:timers/promises'
import {
  type AgentContext,
  agent,
  type McpServerStdio,
  methods,
  type PromptRequest,
  RequestError,
  type SessionConfigOption,
  type Stream,
} from '@agentclientprotocol/sdk'
import type { AgentScript, ScriptedTurn } from './agent-script.ts'
import { doStep, type Hands, type StepWorld } from './do-step.ts'

interface PlayOptions {
  readonly stream: Stream
  readonly home: string
  readonly hands: Hands
}

let sessions = 0

/** Plays an ACP agent by a script. */
export function playAgent(script: AgentScript, { stream, home, hands }: PlayOptions): void {
  const memory = join(home, '.scripted-agent')
  const taken = join(memory, 'taken')
  mkdirSync(memory, { recursive: true })
  const worlds = new Map<string, StepWorld & { cancel: AbortController }>()
  let isAuthenticated = script.authentication === undefined

  agent({ name: script.name ?? 'scripted' })
    .onRequest(methods.agent.initialize, async ({ client }) => {
      await begin('initialize', client)
      return {
        protocolVersion: script.protocolVersion ?? 1,
        agentInfo: { name: script.name ?? 'scripted', version: '1.0.0' },
        agentCapabilities: { loadSession: script.loads ?? false },
        authMethods: script.authentication === undefined ? [] : [{ id: script.authentication, name: 'A key' }],
      }
    })
    .onRequest(methods.agent.authenticate, ({ params }) => {
      isAuthenticated = params.methodId === script.authentication
      if (!isAuthenticated) throw RequestError.authRequired()
    })
    .onRequest(methods.agent.session.new, async ({ params }) => {
      await begin('session/new')
      if (!isAuthenticated) throw RequestError.authRequired()
      sessions += 1
      const sessionId = `session-${process.pid}-${Date.now()}-${sessions}`
      openWorld(sessionId, params.cwd, params.mcpServers as McpServerStdio[])
      appendFileSync(historyOf(sessionId), '')
      return { sessionId, configOptions: configOptions() }
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      await begin('session/load')
      const file = historyOf(params.sessionId)
      if (!script.loads || !existsSync(file)) throw RequestError.resourceNotFound(params.sessionId)
      openWorld(params.sessionId, params.cwd, params.mcpServers as McpServerStdio[])
      for (const text of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
        const update = {
          sessionUpdate: 'agent_message_chunk',
          content: { type: 'text', text: JSON.parse(text) },
        } as const
        await client.notify(methods.client.session.update, { sessionId: params.sessionId, update })
      }
      return {}
    })
    .onRequest(methods.agent.session.setConfigOption, ({ params }) => {
      appendFileSync(join(memory, 'model'), `${params.value}`)
      return { configOptions: configOptions() }
    })
    .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
      await begin('session/prompt')
      return { stopReason: await turn(params, client) }
    })
    .onNotification(methods.agent.session.cancel, ({ params }) => {
      if (!script.ignoresCancel) worlds.get(params.sessionId)?.cancel.abort()
    })
    .connect(stream)

  async function begin(method: string, client?: AgentContext): Promise<void> {
    if (script.failsOn === method) throw RequestError.internalError(undefined, `the script fails on ${method}`)
    if (script.hangsOn !== method) return
    for (;;) {
      await setTimeout(200)
      if (script.murmurs) await client?.notify<unknown>(methods.client.session.update, { sessionId: '', update: 'hm' })
    }
  }

  function configOptions(): SessionConfigOption[] {
    const [first] = script.models ?? []
    if (script.models === undefined || first === undefined) return []
    const options = script.models.map((value) => ({ value, name: value }))
    return [{ type: 'select', id: 'model', name: 'Model', category: 'model', currentValue: first, options }]
  }

  function historyOf(sessionId: string): string {
    return join(memory, sessionId)
  }

  function openWorld(sessionId: string, cwd: string, mcpServers: McpServerStdio[]): void {
    worlds.set(sessionId, { cwd, mcpServers, hands, cancel: new AbortController() })
  }

  async function turn({ sessionId, prompt }: PromptRequest, client: AgentContext) {
    const text = prompt.map((block) => (block.type === 'text' ? block.text : '')).join('')
    const world = worlds.get(sessionId)
    if (world === undefined) throw RequestError.resourceNotFound(sessionId)
    world.cancel = new AbortController()
    const { steps, repeats, ends = 'end_turn' } = nextTurn(text)
    remember(sessionId, text)
    const cancelled = new Promise<'cancelled'>((resolve) => {
      world.cancel.signal.addEventListener('abort', () => resolve('cancelled'))
    })
    return Promise.race([cancelled, allSteps().then(() => ends)])

    async function allSteps(): Promise<void> {
      do {
        for (const step of steps) {
          if (world === undefined || world.cancel.signal.aborted) return
          if ('say' in step) remember(sessionId, step.say)
          await doStep(step, world, { client, sessionId })
          // A command blocks until its end, so earlier messages are read first.
          await setImmediate()
        }
      } while (repeats)
    }
  }

  function remember(sessionId: string, text: string): void {
    appendFileSync(historyOf(sessionId), `${JSON.stringify(text)}\n`)
  }

  function nextTurn(prompt: string): ScriptedTurn {
    const before = existsSync(taken) ? readFileSync(taken, 'utf8').split('\n') : []
    const at = script.turns.findIndex(({ when = '' }, i) => !before.includes(`${i}`) && prompt.includes(when))
    const found = script.turns[at]
    if (found === undefined) return { steps: [{ say: 'The script has no turn for this prompt.' }] }
    appendFileSync(taken, `${at}\n`)
    return found
  }
}
