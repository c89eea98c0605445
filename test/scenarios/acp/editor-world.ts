import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough, Readable, Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  type ClientCapabilities,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  methods,
  type NewSessionResponse,
  ndJsonStream,
  PROTOCOL_VERSION,
  type PromptRequest,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import { onTestFinished } from 'vitest'
import type { Fixture } from '../world/fixture.ts'
import { processesOf } from '../world/process.ts'

const bin = fileURLToPath(new URL('../../../bin/drydock', import.meta.url))

type Of<Kind extends SessionUpdate['sessionUpdate']> = Extract<SessionUpdate, { readonly sessionUpdate: Kind }>

/** The answers of a person at an editor. */
export interface Person {
  /** Chooses an option by its id; null closes the question. */
  readonly permit?: (asked: RequestPermissionRequest, signal: AbortSignal) => Promise<string | null> | string | null
  readonly fill?: (asked: CreateElicitationRequest) => CreateElicitationResponse
}

export interface PlayedPerson extends Person {
  readonly capabilities?: ClientCapabilities
}

interface Options extends PlayedPerson {
  readonly args?: readonly string[]
  readonly cwd?: string
}

/** The connection of an editor to its agent. */
export interface AgentLine {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly exited: Promise<number | null>
  readonly stderr: () => string
}

/** An editor that speaks the protocol with Drydock. */
export interface PlayedEditor {
  readonly agent: ClientContext
  readonly permissions: readonly RequestPermissionRequest[]
  readonly forms: readonly CreateElicitationRequest[]
  /** Methods that the agent called and this editor does not have. */
  readonly foreign: readonly string[]
  readonly stderr: () => string
  /** All updates of a session, in order, and those of one kind. */
  updates(session: string): readonly SessionUpdate[]
  of<Kind extends SessionUpdate['sessionUpdate']>(session: string, kind: Kind): readonly Of<Kind>[]
  /** The agent's messages, each complete. */
  said(session: string): readonly string[]
  /** Resolves with the first matching update, including earlier ones. */
  until(session: string, fits: (update: SessionUpdate) => boolean): Promise<SessionUpdate>
  open(cwd: string): Promise<NewSessionResponse>
  prompt(session: string, text: string): Promise<string>
  /** Sends a line without the SDK; resolves with the answer to its id. */
  raw(line: string): Promise<{ readonly error?: { readonly code: number; readonly message: string } }>
  /** Closes the editor; resolves with the exit code of the agent. */
  close(): Promise<number | null>
}

/** Starts bin/drydock as the agent of an editor. */
export async function startEditor(
  fixture: Fixture,
  options: Options = {},
): Promise<PlayedEditor & { readonly child: ChildProcess }> {
  const { args = [], cwd = fixture.folder } = options
  const child = spawn(bin, ['acp', ...args], { env: fixture.env, cwd, stdio: ['pipe', 'pipe', 'pipe'] })
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
    await endAll(fixture.folder)
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk
  })
  const { stdin, stdout } = child
  return { ...(await playEditor({ stdin, stdout, exited, stderr: () => stderr }, options)), child }
}

/** Greets an agent like an editor. */
export async function playEditor(
  { stdin, stdout, exited, stderr }: AgentLine,
  { capabilities = {}, permit = () => null, fill = () => ({ action: 'cancel' }) }: PlayedPerson,
): Promise<PlayedEditor> {
  const received: { readonly session: string; readonly update: SessionUpdate }[] = []
  const listeners = new Set<() => void>()
  const permissions: RequestPermissionRequest[] = []
  const forms: CreateElicitationRequest[] = []
  const foreign: string[] = []
  const answers = new Map<string, (answer: { error?: { code: number; message: string } }) => void>()
  const app = client({ name: 'editor' })
    .onNotification(methods.client.session.update, ({ params: { sessionId: session, update } }) => {
      received.push({ session, update })
      for (const listener of listeners) listener()
    })
    .onRequest(methods.client.session.requestPermission, async ({ params, signal }) => {
      permissions.push(params)
      const optionId = await permit(params, signal)
      return { outcome: optionId === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } }
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => {
      forms.push(params)
      return fill(params)
    })
    .onRequest('*', ({ method }) => {
      foreign.push(method)
      throw new Error(`no ${method}`)
    })
  const input = new PassThrough()
  let rest = ''
  stdout.on('data', (chunk: Buffer) => {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    // Throws for a line outside the protocol.
    for (const line of lines) {
      const message = JSON.parse(line)
      const answered = answers.get(JSON.stringify(message.id))
      if (answered) answered(message)
      else input.write(`${line}\n`)
    }
  })
  stdout.on('end', () => input.end())
  const stream = ndJsonStream(
    Writable.toWeb(stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(input) as ReadableStream<Uint8Array>,
  )
  const { agent } = app.connect(stream)
  await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: capabilities,
    clientInfo: { name: 'editor', version: '1' },
  })
  const updates = (session: string) => received.flatMap((each) => (each.session === session ? [each.update] : []))
  const of: PlayedEditor['of'] = (session, kind) =>
    updates(session).filter((update): update is Of<typeof kind> => update.sessionUpdate === kind)
  return {
    agent,
    permissions,
    forms,
    foreign,
    updates,
    of,
    stderr,
    said(session) {
      const messages = new Map<string, string>()
      for (const { messageId, content } of of(session, 'agent_message_chunk')) {
        if (content.type === 'text')
          messages.set(`${messageId}`, `${messages.get(`${messageId}`) ?? ''}${content.text}`)
      }
      return [...messages.values()].map((text) => text.trim())
    },
    until: (session, fits) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = updates(session).find(fits)
          if (found === undefined) return
          listeners.delete(look)
          resolve(found)
        }
        listeners.add(look)
        look()
        void exited.then(() => reject(new Error(`the agent has ended: ${stderr()}`)))
      }),
    open: (folder) => agent.request(methods.agent.session.new, { cwd: folder, mcpServers: [] }),
    async prompt(sessionId, text) {
      const asked: PromptRequest = { sessionId, prompt: [{ type: 'text', text }] }
      const { stopReason } = await agent.request(methods.agent.session.prompt, asked)
      // The library answers a request at once, but delivers a notification a few microtasks later.
      await setImmediate()
      return stopReason
    },
    raw: (line) =>
      new Promise((resolve) => {
        const id = /"id":("[^"]*"|\d+)/.exec(line)?.[1] ?? 'null'
        answers.set(id, resolve)
        stdin.write(`${line}\n`)
      }),
    async close() {
      stdin.end()
      return exited
    },
  }
}

/** Ends the processes that outlive their editor, by id. */
export async function endAll(folder: string): Promise<void> {
  for (const line of await processesOf(folder)) {
    try {
      process.kill(Number.parseInt(line, 10), 'SIGKILL')
    } catch {
      // The process has ended by itself.
    }
  }
}

/** The text of an update that is a message. */
export function textOf(update: SessionUpdate): string {
  return 'content' in update && update.content && 'type' in update.content && update.content.type === 'text'
    ? update.content.text
    : ''
}
