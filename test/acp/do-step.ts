import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, watch, writeFileSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, resolve } from 'node:path'
import { type AgentContext, type McpServerStdio, methods, type ToolKind } from '@agentclientprotocol/sdk'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Step } from './agent-script.ts'

export interface StepWorld {
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
    writeSync(1, `${step.raw}\n`)
    return
  }
  if ('complain' in step) {
    writeSync(2, `${step.complain}\n`)
    return
  }
  if ('flood' in step) {
    for (let i = 0; i < step.flood; i += 1)
      await update({ sessionUpdate: 'agent_message_chunk', ...text('.') }, speaking)
    return
  }
  if ('longLine' in step)
    return update({ sessionUpdate: 'agent_message_chunk', ...text('x'.repeat(step.longLine)) }, speaking)
  if ('hang' in step) return new Promise(() => undefined)
  if ('die' in step) process.exit(step.die)
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
  Record<'say', string> | Record<'think', string> | Record<'update', unknown> | Record<'plan', readonly string[]>
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
  if ('write' in step) {
    mkdirSync(dirname(at(step.write)), { recursive: true })
    writeFileSync(at(step.write), step.text)
    return 'written'
  }
  if ('edit' in step) {
    const before = readFileSync(at(step.edit), 'utf8')
    if (!before.includes(step.from)) throw new Error(`${step.edit} does not contain ${step.from}`)
    writeFileSync(at(step.edit), before.replace(step.from, step.to))
    return 'edited'
  }
  if ('read' in step) return readFileSync(at(step.read), 'utf8')
  if ('run' in step || 'unseen' in step) {
    const command = 'run' in step ? step.run : step.unseen
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', command], { cwd: world.cwd, encoding: 'utf8' })
    if (status !== 0) throw new Error(`exit ${status}: ${stdout}${stderr}`)
    return stdout
  }
  if ('leave' in step) {
    spawn('/bin/sh', ['-c', step.leave], { cwd: world.cwd, detached: true, stdio: 'ignore' }).unref()
    return 'left'
  }
  if ('waitFor' in step) return whenThere(at(step.waitFor))
  if ('tools' in step) return JSON.stringify((await (await toolsOf(world)).listTools()).tools.map(({ name }) => name))
  if ('tool' in step) {
    const tools = await toolsOf(world)
    const { content, isError } = await tools.callTool({ name: step.tool, arguments: step.input ?? {} })
    const words = content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n')
    if (isError) throw new Error(words)
    return words
  }
  if ('model' in step) {
    const headers = { 'content-type': 'application/json', ...step.headers }
    const url = `${process.env.BASE_URL}${step.model}`
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(step.body) })
    return `${response.status} ${await response.text()}`
  }
  if ('connect' in step) return connected(step.connect)
  if ('environment' in step) return JSON.stringify(process.env)
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

async function openTools({ mcpServers: [server] }: StepWorld): Promise<Client> {
  if (server === undefined) throw new Error('no MCP server was given')
  const { command, args } = server
  const env = Object.fromEntries(server.env.map(({ name, value }) => [name, value]))
  const tools = new Client({ name: 'scripted-agent', version: '1.0.0' })
  await tools.connect(new StdioClientTransport({ command, args: [...args], env }))
  return tools
}

function connected(address: string): Promise<string> {
  const [host = '', port] = address.split(':')
  return new Promise((done, failed) => {
    const socket = connect({ host, port: Number(port), timeout: 5_000 })
    socket.once('connect', () => {
      done('connected')
      socket.destroy()
    })
    socket.once('timeout', () => socket.destroy(new Error('no answer')))
    socket.once('error', failed)
  })
}

function whenThere(path: string): Promise<string> {
  return new Promise((done) => {
    const watcher = watch(dirname(path), look)
    look()
    function look(): void {
      if (!existsSync(path)) return
      watcher.close()
      done('there')
    }
  })
}
