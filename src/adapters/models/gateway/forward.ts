import { once } from 'node:events'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { ReportedUsage } from '../../../domain/lane/trusted-usage.ts'
import { limits } from '../../../domain/limits.ts'
import type { Redact } from '../../../domain/secrets/redact.ts'
import type { ModelError } from '../../../ports/model.ts'
import { classifyFailure } from '../classify-failure.ts'
import { type Endpoint, secretsOf } from '../endpoint.ts'
import { type Cut, type Exchange, openExchange, type Timeouts } from '../exchange.ts'
import type { Answer, Transport } from '../transport.ts'
import type { AnswerReader, Told, Trouble } from './formats/format.ts'
import { objectIn, textIn } from './formats/parts.ts'
import { returnedHeaders, sentHeaders } from './headers.ts'
import { parsedJson } from './parsed-json.ts'
import { readAlong } from './read-answer.ts'
import { refuse } from './refuse.ts'
import type { Route } from './routes.ts'
import { createSecretFilter } from './without-secrets.ts'

export interface Forwarding {
  readonly endpoint: Endpoint
  readonly request: {
    readonly route: Route
    readonly method: string
    readonly headers: IncomingHttpHeaders
    readonly body: Buffer
  }
  readonly response: ServerResponse
  readonly transport: Transport
  readonly timeouts: Timeouts
  readonly redact: Redact
  readonly signal: AbortSignal
  readonly onHeaders: (headers: Answer['headers']) => void
  /** Whether the answer may go on, with so many bytes said. */
  readonly isPaidFor: (bytes: number) => Promise<boolean>
}

export interface Forwarded {
  readonly stop: Told['stop']
  readonly usage: ReportedUsage | null
  /** Null for a whole answer. */
  readonly failure: ModelError | null
  /** Nobody waited for its answer any more. */
  readonly isAbandoned: boolean
  /** It says nothing about the provider. */
  readonly isSilent: boolean
  /** Ends the answer to the agent: after all else is settled. */
  readonly finish: () => void
}

/** Passes a request on and its answer back, byte for byte. Never rejects. */
export async function forward(forwarding: Forwarding): Promise<Forwarded> {
  const { endpoint, request, response, transport, timeouts, signal, onHeaders } = forwarding
  const exchange = openExchange({ transport, timeouts, signal, onHeaders, replyBytes: limits.gateway.answerBytes })
  const reader = request.route.format.read()
  try {
    const answer = await exchange.fetch(`${endpoint.baseURL}${request.route.path}`, {
      method: request.method,
      headers: sentHeaders(request.headers, endpoint, forwarding.redact),
      ...(request.method === 'POST' && { body: new Uint8Array(request.body) }),
    })
    exchange.signal.throwIfAborted()
    if (answer.status >= 300 && answer.status < 400) throw new Error(`the provider redirects (${answer.status})`)
    const words = await passBack(answer, { ...forwarding, signal: exchange.signal }, reader)
    exchange.signal.throwIfAborted()
    const told = toldIn(answer, reader)
    const problem = answer.ok ? problemOf(told, request.route) : refusalOf(answer, words)
    const failure = problem === null ? null : failureOf(problem, forwarding, exchange)
    return { ...told, failure, isAbandoned: false, isSilent: false, finish: () => void response.end() }
  } catch (error) {
    return { ...broken(error, forwarding, exchange), usage: reader.told().usage }
  } finally {
    exchange.close()
  }
}

/** Returns the words of a refusal. */
async function passBack(
  answer: Answer<AsyncIterable<Uint8Array>>,
  { endpoint, response, signal, isPaidFor }: Forwarding,
  reader: AnswerReader,
): Promise<string> {
  response.writeHead(answer.status, returnedHeaders(answer.headers, endpoint))
  response.flushHeaders()
  const filter = createSecretFilter(secretsOf(endpoint))
  const along = readAlong(reader, answer.headers.get('content-type') ?? '')
  const refusal: Uint8Array[] = []
  for await (const chunk of answer.body) {
    if (answer.ok) along.take(chunk)
    else refusal.push(chunk)
    if (!(await isPaidFor(reader.said()))) throw new Unpaid()
    await write(response, filter.take(chunk), signal)
  }
  along.end()
  await write(response, filter.rest(), signal)
  return Buffer.concat(refusal).toString()
}

class Unpaid extends Error {
  constructor() {
    super('the budget does not have the rest of the answer')
  }
}

async function write(response: ServerResponse, bytes: Buffer, signal: AbortSignal): Promise<void> {
  if (bytes.length === 0 || response.destroyed || response.write(bytes)) return
  await once(response, 'drain', { signal })
}

/** A compressed answer, although none was asked for, passes and tells nothing. */
function toldIn({ headers }: Pick<Answer, 'headers'>, reader: AnswerReader): Pick<Told, 'stop' | 'usage' | 'failure'> {
  const encoding = headers.get('content-encoding') ?? 'identity'
  return encoding === 'identity' ? reader.told() : { stop: 'end', usage: null, failure: null }
}

/** What is wrong with an answer that came to its end. */
function problemOf({ stop, failure }: Told, { does }: Route): unknown {
  if (does !== 'call') return null
  return failure ?? (stop === null ? new Error('the answer ended before it was complete') : null)
}

/** As far as `classifyFailure` reads it. */
function refusalOf({ status, headers }: Pick<Answer, 'status' | 'headers'>, words: string): unknown {
  return {
    ...{ message: messageIn(words), statusCode: status, responseBody: words },
    responseHeaders: Object.fromEntries(headers),
  }
}

/** What people are told of it, in whichever of the formats. */
function messageIn(words: string): string {
  const said = objectIn(parsedJson(words))
  return textIn(objectIn(said.error).message) ?? textIn(said.error) ?? textIn(said.message) ?? words
}

function failureOf(problem: unknown, { endpoint }: Forwarding, exchange: Exchange): ModelError {
  const cut = exchange.cut()
  return classifyFailure(problem, {
    ...{ provider: endpoint.provider, cut: cut?.type === 'too_long' ? null : cut },
    ...{ progress: exchange.progress(), secrets: secretsOf(endpoint) },
  })
}

/** The exchange ended in the middle, from whichever side. */
function broken(error: unknown, forwarding: Forwarding, exchange: Exchange): Omit<Forwarded, 'usage'> {
  const { response, request, signal } = forwarding
  const cut = exchange.cut()
  const isOurs = error instanceof Unpaid || cut?.type === 'too_long'
  const failure = isOurs
    ? ({ kind: 'interrupted', message: ourReason(error, cut), retryable: true, retryAfterMs: null } as const)
    : failureOf(error, forwarding, exchange)
  const trouble: Trouble = { kind: cut?.type === 'timeout' ? 'timeout' : 'bad_gateway', message: failure.message }
  return {
    ...{ stop: null, failure, isAbandoned: signal.aborted, isSilent: signal.aborted || isOurs },
    finish: () => refuse(response, { format: request.route.format, trouble }),
  }
}

function ourReason(error: unknown, cut: Cut | null): string {
  return error instanceof Unpaid ? error.message : `the answer is too long (${cut?.type})`
}
