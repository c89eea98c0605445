import { once } from 'node:events'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { ReportedUsage } from '../../../domain/lane/trusted-usage.ts'
import { limits } from '../../../domain/limits.ts'
import type { Redact } from '../../../domain/secrets/redact.ts'
import type { Answer, Transport } from '../../../http/transport.ts'
import type { ModelError } from '../../../ports/model.ts'
import { withAdvice } from '../advice.ts'
import { ProviderFailure, ReplyCut } from '../answers/provider-failure.ts'
import { readReply } from '../answers/read-reply.ts'
import { refusalIn, textError } from '../answers/told-error.ts'
import { classifyFailure } from '../classify-failure.ts'
import { type Endpoint, secretsOf } from '../endpoint.ts'
import { type Exchange, type ExchangeCut, openExchange, type Timeouts } from '../exchange.ts'
import type { AnswerReader, ReplyFacts, Trouble } from './formats/format.ts'
import { returnedHeaders, sentHeaders } from './headers.ts'
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
  /** Returns true if the answer may continue beyond so many bytes. */
  readonly isPaidFor: (bytes: number) => Promise<boolean>
}

export interface ForwardResult {
  readonly stop: ReplyFacts['stop']
  readonly usage: ReportedUsage | null
  /** Null if the answer is whole. */
  readonly failure: ModelError | null
  /** True if the agent disconnected before the end of the answer. */
  readonly isAbandoned: boolean
  /** True if the outcome says nothing about the provider. */
  readonly isSilent: boolean
  /** Ends the answer to the agent, once everything else is settled. */
  readonly finish: () => void
}

/** Passes a request on, and its answer back, byte for byte. Never rejects. */
export async function forward(forwarding: Forwarding): Promise<ForwardResult> {
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
    if (answer.status >= 300 && answer.status < 400) throw redirected(answer)
    const told = await passBack(await withoutPage(answer), { ...forwarding, signal: exchange.signal }, reader)
    exchange.signal.throwIfAborted()
    const problem = told ?? unfinished(reader.told(), request.route)
    const failure = problem === null ? null : failureOf(problem, forwarding, exchange)
    return { ...reader.told(), failure, isAbandoned: false, isSilent: false, finish: () => void response.end() }
  } catch (error) {
    return { ...broken(error, forwarding, exchange), usage: reader.told().usage }
  } finally {
    exchange.close()
  }
}

/** A redirect is not passed on, so the agent is never led to another host. */
function redirected(answer: Pick<Answer, 'status' | 'headers'>): ProviderFailure {
  return new ProviderFailure(textError(`the provider redirects (${answer.status})`), { refusal: answer })
}

/**
 * An agent would take a web page for a reply, so it gets an error in its own format instead. A
 * stream with the content type of a page is buffered until it is whole.
 */
async function withoutPage(answer: PassedAnswer): Promise<PassedAnswer> {
  if (!answer.ok || !(answer.headers.get('content-type') ?? '').includes('text/html')) return answer
  const pieces: Uint8Array[] = []
  for await (const piece of answer.body) pieces.push(piece)
  const whole = Buffer.concat(pieces)
  const told = textError(whole.toString())
  if (told.isPage || whole.length === 0) throw new ProviderFailure({ ...told, isPage: true }, {})
  const body = (async function* () {
    yield whole
  })()
  return { ...answer, body }
}

type PassedAnswer = Answer<AsyncIterable<Uint8Array>>

/** Returns the provider's error, if the answer contains one. */
async function passBack(
  answer: PassedAnswer,
  { endpoint, response, signal, isPaidFor }: Forwarding,
  reader: AnswerReader,
): Promise<ProviderFailure | null> {
  response.writeHead(answer.status, returnedHeaders(answer.headers, endpoint))
  response.flushHeaders()
  const filter = createSecretFilter(secretsOf(endpoint))
  const along = readReply((part) => reader.take(part))
  const refusal: Uint8Array[] = []
  for await (const chunk of answer.body) {
    if (answer.ok) along.take(chunk)
    else refusal.push(chunk)
    if (!(await isPaidFor(reader.said()))) throw new Unpaid()
    await write(response, filter.take(chunk), signal)
  }
  along.end()
  await write(response, filter.rest(), signal)
  if (answer.ok) return along.failure()
  return new ProviderFailure(refusalIn(Buffer.concat(refusal).toString()), { refusal: answer })
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

/** The fault of an answer that contains no error but is incomplete. */
function unfinished({ stop }: ReplyFacts, { does }: Route): ReplyCut | null {
  return does === 'call' && stop === null ? new ReplyCut() : null
}

function failureOf(problem: unknown, { endpoint }: Forwarding, exchange: Exchange): ModelError {
  const cut = exchange.cut()
  const failure = classifyFailure(problem, {
    provider: endpoint.provider,
    cut: cut?.type === 'too_long' ? null : cut,
    progress: exchange.progress(),
    secrets: secretsOf(endpoint),
  })
  return withAdvice(failure, endpoint)
}

/** The outcome of an exchange that ended early, from either side. */
function broken(error: unknown, forwarding: Forwarding, exchange: Exchange): Omit<ForwardResult, 'usage'> {
  const { response, request, signal } = forwarding
  const cut = exchange.cut()
  const isOurs = error instanceof Unpaid || cut?.type === 'too_long'
  const failure = isOurs
    ? ({ kind: 'interrupted', message: ourReason(error, cut), retryable: true, retryAfterMs: null } as const)
    : failureOf(error, forwarding, exchange)
  const trouble: Trouble = { kind: cut?.type === 'timeout' ? 'timeout' : 'bad_gateway', message: failure.message }
  return {
    stop: null,
    failure,
    isAbandoned: signal.aborted,
    isSilent: signal.aborted || isOurs,
    finish: () => refuse(response, { format: request.route.format, trouble }),
  }
}

function ourReason(error: unknown, cut: ExchangeCut | null): string {
  return error instanceof Unpaid ? error.message : `the answer is too long (${cut?.type})`
}
