import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { ModelErrorKind } from '../../src/ports/model.ts'
import { anthropic } from './anthropic.ts'
import { google } from './google.ts'
import { ollama, shownModel } from './ollama.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import type { Dialect, WireTurn } from './turn.ts'

const dialects: readonly Dialect[] = [anthropic, openaiResponses, openaiChat, google, ollama]

export interface WireRequest {
  readonly dialect: Dialect['name'] | null
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The body as text, and as JSON. */
  readonly raw: string
  // biome-ignore lint/suspicious/noExplicitAny: the body of any provider's request; tests look where they want.
  readonly body: any
  /** Resolves when the connection of the answer is closed or the answer is complete. */
  readonly closed: Promise<unknown>
}

export interface WireServer {
  /** `http://127.0.0.1:<port>`; OpenAI's formats are under /v1, Google's under /v1beta. */
  readonly origin: string
  readonly requests: readonly WireRequest[]
  close(): Promise<void>
}

/** The answers: one turn after another, or a turn for each request. */
export type Script = readonly WireTurn[] | ((request: WireRequest, number: number) => WireTurn | Promise<WireTurn>)

/** Speaks the streaming formats of all kinds of provider, by the path of each request. */
export async function startWireServer(script: Script, host = '127.0.0.1'): Promise<WireServer> {
  const requests: WireRequest[] = []
  const server = createServer(async (incoming, response) => {
    response.on('error', () => {}) // The client may disconnect at any time
    if (incoming.url === '/api/show') return show(incoming, response)
    const request = await record(incoming, response)
    const number = requests.push(request)
    const turn = typeof script === 'function' ? await script(request, number) : script[number - 1]
    await answer({
      request,
      response,
      turn: turn ?? { refusal: { status: 500, body: 'the script has ended' } },
      number,
    })
  })
  server.listen(0, host)
  await once(server, 'listening')
  return {
    origin: `http://${host}:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Ollama's description of a model; requested once in addition to the scripted requests. */
function show(incoming: IncomingMessage, response: ServerResponse): void {
  incoming.resume()
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(shownModel))
}

async function record(incoming: IncomingMessage, response: ServerResponse): Promise<WireRequest> {
  const raw = await text(incoming)
  const path = new URL(incoming.url ?? '/', 'http://wire').pathname
  const dialect = dialects.find((one) => one.path.test(path))?.name ?? null
  return {
    dialect,
    path,
    headers: incoming.headers,
    raw,
    body: raw === '' ? {} : JSON.parse(raw),
    closed: once(response, 'close'),
  }
}

interface Answer {
  readonly request: WireRequest
  readonly response: ServerResponse
  readonly turn: WireTurn
  readonly number: number
}

async function answer({ request, response, turn, number }: Answer): Promise<void> {
  const dialect = dialects.find(({ name }) => name === request.dialect)
  await turn.after
  if (turn.refusal) {
    response.writeHead(turn.refusal.status, turn.refusal.headers)
    return void response.end(turn.refusal.body ?? '')
  }
  if (!dialect) return void response.writeHead(404).end('no such path')
  const fault = turn.fault ?? (turn.error && faults[turn.error.kind ?? 'overloaded'])
  if (fault === 'hang') return
  if (fault === 'reset') return void response.socket?.resetAndDestroy()
  if (turn.error && !fault) return refuse(dialect, response, turn.error)

  response.writeHead(200, { 'content-type': dialect.contentType ?? 'text/event-stream', ...turn.headers })
  const write = (frame: string | Uint8Array) => send(frame, { response, closed: request.closed })
  const at = { model: modelOf(request), number, wantsUsage: request.body.stream_options?.include_usage === true }
  const { body, end } = dialect.frames(turn, at)
  const frames = [...body]
  if (turn.sent) {
    for (const piece of turn.sent([...frames, ...end].join(''))) await write(piece)
    return void response.end()
  }
  for (const [i, frame] of frames.entries()) {
    if (i === Math.ceil(frames.length / 2)) await turn.halfway
    await write(frame)
  }
  if (fault === 'idle') return
  if (fault === 'broken') {
    // Only after everything is written, since a reset would discard it.
    return void response.write('\n', () => response.socket?.end())
  }
  if (fault === 'error_event') await write(dialect.errorFrame('it broke in the middle'))
  else if (fault !== 'no_end') for (const frame of end) await write(frame)
  response.end()
}

const faults: Partial<Record<ModelErrorKind, WireTurn['fault']>> = {
  network: 'reset',
  timeout: 'hang',
  interrupted: 'no_end',
}

function refuse(dialect: Dialect, response: ServerResponse, error: NonNullable<WireTurn['error']>): void {
  const kind = error.kind ?? 'overloaded'
  const [status, words] = statuses[kind] ?? [500, 'internal error']
  const message = error.message ?? words
  const wait = error.retryAfterMs == null ? {} : { 'retry-after-ms': String(error.retryAfterMs) }
  response.writeHead(status, { 'content-type': 'application/json', ...wait })
  response.end(JSON.stringify(dialect.errorBody({ status, kind, message })))
}

const statuses: Partial<Record<ModelErrorKind, readonly [status: number, message: string]>> = {
  auth: [401, 'invalid key'],
  no_access: [403, 'your account has no access to this model'],
  unknown_model: [404, 'model: no-such-model'],
  bad_request: [400, 'messages: wrong'],
  context_overflow: [400, 'prompt is too long: 300000 tokens > 200000 maximum context length'],
  rate_limited: [429, 'too many requests'],
  overloaded: [529, 'overloaded'],
}

function modelOf({ body, path }: WireRequest): string {
  return body.model ?? /models\/([^:]+):/.exec(path)?.[1] ?? 'unknown'
}

async function send(
  frame: string | Uint8Array,
  { response, closed }: { response: ServerResponse; closed: Promise<unknown> },
) {
  if (response.destroyed || response.write(frame)) return
  await Promise.race([once(response, 'drain'), closed])
}
