import { resolve } from 'node:path'
import { type AgentContext, type McpServerStdio, methods, type ToolKind } from '@agentclientprotocol/sdk'
import { Client } from '@modelcontextprotocol/client'
import type { Step } from './agent-script.ts'

/** The actions of an agent. Paths are absolute. */
export interface Hands {
  write(path: string, text: string): Promise<void>
  read(path: string): Promise<string>
  /** Runs a shell command to its end. */
  run(command: string, cwd: string): Promise<{ readonly status: number | null; readonly output: string }>
  leave(command: string, cwd: string): void
  whenThere(path: string): Promise<void>
  openTools(server: McpServerStdio): Promise<Parameters<Client['connect']>[0]>
  post(path: string, body: unknown, headers: Readonly<Record<string, string>>): Promise<string>
  connect(address: string): Promise<string>
  readonly environment: Readonly<Record<string, string | undefined>>
  raw(line: string): void
  complain(line: string): void
  die(code: number): void
}

export interface StepWorld {
  readonly hands: Hands
  readonly cwd: string
  readonly mcpServers: readonly McpServerStdio[]
  tools?: Promise<Client>
}

interface Speaking {
  readonly client: AgentContext
  readonly sessionId: string
}

let calls = 0

export async function doStep(step: Step, world: StepWorld, speaking: Speaking): Promise<void> {
  if ('say' in step) return update({ sessionUpdate: 'agent_message_chunk', ...text(step.say) }, speaking)
  if ('think' in step) return update({ sessionUpdate: 'agent_thought_chunk', ...text(step.think) }, speaking)
  if ('update' in step) return update(step.update, speaking)
  if ('plan' in step) {
    const entries = step.plan.map((content) => ({ content, priority: 'medium', status: 'pending' }))
    return update({ sessionUpdate: 'plan', entries }, speaking)
  }
  if ('raw' in step) {
    world.hands.raw(step.raw)
    return
  }
  if ('complain' in step) {
    world.hands.complain(step.complain)
    return
  }
  if ('flood' in step) {
    for (let i = 0; i < step.flood; i += 1)
      await update({ sessionUpdate: 'agent_message_chunk', ...text('.') }, speaking)
    return
  }
  if ('longLine' in step)
    return update({ sessionUpdate: 'agent_message_chunk', ...text('x'.repeat(step.longLine)) }, speaking)
  if ('unseenPosts' in step) {
    const tools = await toolsOf(world)
    for (let n = 1; n <= step.unseenPosts; n += 1)
      await tools.callTool({ name: 'post_message', arguments: { content: `post ${n}` } }).catch(() => undefined)
    return
  }
  if ('hang' in step) return new Promise(() => undefined)
  if ('die' in step) {
    world.hands.die(step.die)
    return new Promise(() => undefined)
  }
  return call(step, world, speaking)
}

function text(content: string) {
  return { content: { type: 'text', text: content } }
}

async function update(content: unknown, { client, sessionId }: Speaking): Promise<void> {
  await client.notify<unknown>(methods.client.session.update, { sessionId, update: content })
}

type Acting = Exclude<
  Step,
  | Record<'say', string>
  | Record<'think', string>
  | Record<'unseenPosts', number>
  | Record<'update', unknown>
  | Record<'plan', readonly string[]>
>

async function call(written: Acting, world: StepWorld, speaking: Speaking): Promise<void> {
  calls += 1
  const step = 'run' in written ? { run: written.run.replaceAll('{n}', String(calls)) } : written
  const toolCallId = `call-${calls}`
  const { title, kind, path } = shown(step)
  const locations = path === undefined ? [] : [{ path: resolve(world.cwd, path) }]
  const isSeen = !('unseen' in step)
  const begun = { sessionUpdate: 'tool_call', toolCallId, title, kind, status: 'in_progress', locations }
  await update({ ...begun, ...(isSeen && { rawInput: step }) }, speaking)
  const [status, output] = await act(step, world, speaking).then(
    (words) => ['completed', words] as const,
    (error: unknown) =>
      ['failed', String(error instanceof Error ? `${error.message} ${error.cause ?? ''}` : error)] as const,
  )
  const content = isSeen ? [{ type: 'content', ...text(output) }] : []
  await update({ sessionUpdate: 'tool_call_update', toolCallId, status, content }, speaking)
}

function shown(step: Acting): { readonly title: string; readonly kind: ToolKind; readonly path?: string } {
  if ('write' in step) return { title: `Write ${step.write}`, kind: 'edit', path: step.write }
  if ('edit' in step) return { title: `Edit ${step.edit}`, kind: 'edit', path: step.edit }
  if ('read' in step) return { title: `Read ${step.read}`, kind: 'read', path: step.read }
  if ('run' in step) return { title: step.run, kind: 'execute' }
  if ('unseen' in step) return { title: 'Edit', kind: 'edit' }
  if ('leave' in step) return { title: step.leave, kind: 'execute' }
  if ('tool' in step) return { title: step.tool, kind: 'other' }
  if ('connect' in step) return { title: `Connect to ${step.connect}`, kind: 'fetch' }
  return { title: Object.keys(step)[0] ?? '', kind: 'other' }
}

async function act(step: Acting, world: StepWorld, { client, sessionId }: Speaking): Promise<string> {
  const at = (path: string) => resolve(world.cwd, path)
  const { hands } = world
  if ('write' in step) {
    await hands.write(at(step.write), step.text)
    return 'written'
  }
  if ('edit' in step) {
    const before = await hands.read(at(step.edit))
    if (!before.includes(step.from)) throw new Error(`${step.edit} does not contain ${step.from}`)
    await hands.write(at(step.edit), before.replace(step.from, step.to))
    return 'edited'
  }
  if ('read' in step) return hands.read(at(step.read))
  if ('run' in step || 'unseen' in step) {
    const { status, output } = await hands.run('run' in step ? step.run : step.unseen, world.cwd)
    if (status !== 0) throw new Error(`exit ${status}: ${output}`)
    return output
  }
  if ('leave' in step) {
    hands.leave(step.leave, world.cwd)
    return 'left'
  }
  if ('waitFor' in step) {
    await hands.whenThere(at(step.waitFor))
    return 'there'
  }
  if ('tools' in step) return JSON.stringify((await (await toolsOf(world)).listTools()).tools.map(({ name }) => name))
  if ('tool' in step) {
    const tools = await toolsOf(world)
    const { content, isError } = await tools.callTool({ name: step.tool, arguments: step.input ?? {} })
    const words = content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n')
    if (isError) throw new Error(words)
    return words
  }
  if ('model' in step) return hands.post(step.model, step.body, { 'content-type': 'application/json', ...step.headers })
  if ('connect' in step) return hands.connect(step.connect)
  if ('environment' in step) return JSON.stringify(hands.environment)
  if ('ask' in step) {
    const options = step.ask.map(({ id, kind }) => ({ optionId: id, name: id, kind }))
    const asked = { sessionId, toolCall: { toolCallId: `call-${calls}`, title: 'May I?' }, options }
    return JSON.stringify(await client.request<unknown>(methods.client.session.requestPermission, asked))
  }
  if ('client' in step)
    return JSON.stringify(await client.request<unknown>(step.client, { sessionId, ...(step.params ?? {}) }))
  throw new Error(`no such step: ${JSON.stringify(step)}`)
}

function toolsOf(world: StepWorld): Promise<Client> {
  world.tools ??= openTools(world)
  return world.tools
}

async function openTools({ hands, mcpServers: [server] }: StepWorld): Promise<Client> {
  if (server === undefined) throw new Error('no MCP server was given')
  const tools = new Client({ name: 'scripted-agent', version: '1.0.0' })
  await tools.connect(await hands.openTools(server))
  return tools
}
