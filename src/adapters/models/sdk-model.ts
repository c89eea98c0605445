import type { Usage } from '../../domain/lane/message.ts'
import { trustedUsage } from '../../domain/lane/trusted-usage.ts'
import { providerName } from '../../domain/mcp/provider-name.ts'
import { protocols } from '../../domain/providers.ts'
import { createTransport, type Transport } from '../../http/transport.ts'
import type { Hear, HeardPiece, ModelReply, ModelRequest } from '../../ports/model.ts'
import { withAdvice } from './advice.ts'
import { ReplyCut } from './answers/provider-failure.ts'
import { createSdkAnswers } from './answers/reply-stream.ts'
import { cacheMarks, withCacheKey } from './cache-marks.ts'
import { classifyFailure } from './classify-failure.ts'
import { type Connect, createConnect, providerOptions } from './connect.ts'
import { type Endpoint, secretsOf } from './endpoint.ts'
import { type Exchange, openExchange, type Timeouts } from './exchange.ts'
import type { CallProgress, UngatedModel } from './gated-model.ts'
import { rawOrigin, toPrompt } from './history.ts'
import type { CallOptions, StreamPart } from './language-model.ts'
import { type Expectations, type Finish, type Reading, startReading } from './reading.ts'
import { withSpokenCalls } from './spoken-calls.ts'

interface SdkModelOptions {
  readonly id: string
  readonly endpoint: Endpoint
  readonly timeouts: Timeouts
}

/**
 * A model behind a provider's library: each reply is one streamed request without retries, and the
 * library runs no tools.
 */
export function createSdkModel({ id, endpoint, timeouts }: SdkModelOptions): UngatedModel {
  // Created at first use, since most models of a process are only checked and never called.
  let transport: Transport | undefined
  const connect = createConnect(endpoint)

  async function send({ request, hear, progress }: Sending, signal: AbortSignal): Promise<ModelReply> {
    transport ??= createTransport(endpoint.proxy)
    const plain = openExchange({ transport, timeouts, signal, onHeaders: progress.answered })
    const answers = createSdkAnswers(plain, endpoint.kind)
    const exchange = { ...plain, fetch: answers.fetch }
    const expected = expectations(request)
    const reading = startReading(expected)
    let reply: ModelReply
    try {
      const heard = hear && ((piece: HeardPiece) => hear(withToolNamed(piece, expected)))
      await stream({ endpoint, connect, request, exchange, reading, hear: heard })
      const whole = toReply({ endpoint, exchange, reading, thrown: answers.failure() ?? undefined })
      reply = whole.stop === 'error' ? whole : withSpokenCalls(whole, expected)
    } catch (error) {
      reply = toReply({ endpoint, exchange, reading, thrown: answers.failure() ?? error })
    } finally {
      exchange.close()
    }
    if (exchange.progress() === 'unsent') progress.unsent()
    return reply
  }

  return { id, reply: (request, signal, hear, progress) => send({ request, hear, progress }, signal) }
}

function withToolNamed(piece: HeardPiece, { toolNamed }: Expectations): HeardPiece {
  return piece.tool === undefined ? piece : { ...piece, tool: toolNamed(piece.tool) }
}

interface Sending {
  readonly request: ModelRequest
  readonly hear: Hear | undefined
  readonly progress: CallProgress
}

interface Call {
  readonly endpoint: Endpoint
  readonly connect: Connect
  readonly request: ModelRequest
  readonly exchange: Exchange
  readonly reading: Reading
  readonly hear: Hear | undefined
}

/** Sends the request and reads the whole reply. Throws the error if that fails. */
async function stream({ endpoint, connect, request, exchange, reading, hear }: Call): Promise<void> {
  const model = await connect({ exchange, replyTokens: request.maxOutputTokens })
  exchange.signal.throwIfAborted()
  const { caching } = protocols[endpoint.kind]
  const { effort, temperature } = endpoint.settings
  const marked = caching === 'marks'
  const turns = toPrompt(request.messages, endpoint.provider)
  const text = request.system.toWellFormed()
  const system = marked ? cacheMarks.system(text) : ({ role: 'system', content: text } as const)
  const { stream: parts } = await model.doStream({
    prompt: [...(text ? [system] : []), ...(marked ? cacheMarks.turns(turns) : turns)],
    ...toolsOf(request, marked),
    maxOutputTokens: request.maxOutputTokens,
    ...(effort !== null && { reasoning: effort }),
    ...(temperature !== null && { temperature }),
    abortSignal: exchange.signal,
    providerOptions: caching === 'key' ? withCacheKey(providerOptions, request) : providerOptions,
  })
  for await (const part of parts) {
    reading.take(part)
    const piece = hear && pieceOf(part)
    if (piece) hear(piece)
  }
  const failure = reading.failure()
  if (failure !== null) throw failure
  exchange.signal.throwIfAborted()
}

/** Calls are validated where they are executed. */
function toolsOf({ tools, mustCall }: ModelRequest, marked: boolean): Pick<CallOptions, 'tools' | 'toolChoice'> {
  if (tools.length === 0) return {}
  const offered = tools.map(({ name, description, inputSchema }, index) => ({
    type: 'function' as const,
    name: providerName(name),
    description,
    inputSchema,
    ...(marked && index === tools.length - 1 && cacheMarks.lastTool),
  }))
  return { tools: offered, toolChoice: { type: mustCall ? 'required' : 'auto' } }
}

function expectations({ tools, messages, turn }: ModelRequest): Expectations {
  const named = new Map(tools.map(({ name }) => [providerName(name), name]))
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []))
  return {
    tools: tools.map((tool) => ({ ...tool, name: providerName(tool.name) })),
    toolNamed: (name) => named.get(name) ?? name,
    takenIds: new Set(calls.map(({ id }) => id)),
    newId: (index: number) => `call_${turn}_${index}`,
  }
}

interface Outcome {
  readonly endpoint: Endpoint
  readonly exchange: Exchange
  readonly reading: Reading
  readonly thrown?: unknown
}

function toReply({ endpoint, exchange, reading, thrown }: Outcome): ModelReply {
  const cut = exchange.cut()
  const finish = reading.finish()
  const usage = finish && toUsage(finish.usage)
  const text = reading.text()
  if (cut?.type === 'too_long') return { stop: 'length', text, calls: [], raw: null, usage }
  const stop = thrown === undefined && !cut && finish ? stopOf(finish, reading) : null
  if (stop === null) {
    const circumstances = {
      provider: endpoint.provider,
      cut,
      progress: exchange.progress(),
      secrets: secretsOf(endpoint),
    }
    const error = classifyFailure(reasonOf(thrown, finish), circumstances)
    return { stop: 'error', error: withAdvice(error, endpoint), usage }
  }
  // A cut or refused reply is not continued: the history holds it as plain text.
  if (stop === 'length' || stop === 'refused') return { stop, text, calls: [], raw: null, usage }
  const isWhole = stop === 'calls' || (text.trim() !== '' && reading.calls.length === 0)
  const own = isWhole ? { provider: rawOrigin(endpoint.provider), content: reading.content() } : null
  return { stop, text, calls: stop === 'calls' ? reading.calls : [], raw: own, usage }
}

/** Null: the stream has no reliable end, so none of its calls may be executed. */
function stopOf({ finishReason }: Finish, reading: Reading): 'calls' | 'end' | 'length' | 'refused' | null {
  const { raw } = finishReason
  // Gemini reports that it wrote an invalid call, and leaves the call out.
  if (raw === 'MALFORMED_FUNCTION_CALL' || raw === 'UNEXPECTED_TOOL_CALL') return 'end'
  // The SDK takes this for a reply that was cut at its own limit, for which a smaller step would
  // help.
  if (raw === 'model_context_window_exceeded') return null
  switch (finishReason.unified) {
    case 'tool-calls':
      // The SDK reports the same reason for a reply that is incomplete for another cause, as soon
      // as it contains a call.
      if (raw !== undefined && !wordsForCalls.includes(raw)) return null
      return reading.calls.length > 0 ? 'calls' : 'end'
    case 'stop':
      return reading.calls.length > 0 ? 'calls' : 'end'
    case 'length':
      return 'length'
    case 'content-filter':
      return 'refused'
    case 'other':
      return reading.text() && reading.calls.length === 0 ? 'end' : null
    default:
      return null
  }
}

/** The reasons that providers give for a reply that ended with calls. */
const wordsForCalls = ['tool_use', 'tool_calls', 'function_call', 'STOP']

function reasonOf(thrown: unknown, finish: Finish | null): unknown {
  if (thrown !== undefined) return thrown
  const reason = finish?.finishReason.raw
  return reason ? new Error(`the reply ended with ${reason}`) : new ReplyCut()
}

function toUsage({ inputTokens, outputTokens }: Finish['usage']): Usage | null {
  const { total: input, cacheRead, cacheWrite } = inputTokens
  return trustedUsage({ input, output: outputTokens.total, cacheRead, cacheWrite })
}

/** The text or reasoning in a part of a stream; null for a part without any. */
function pieceOf(part: StreamPart): HeardPiece | null {
  switch (part.type) {
    case 'text-delta':
      return { kind: 'text', text: part.delta }
    case 'reasoning-delta':
      return { kind: 'thought', text: part.delta }
    case 'tool-input-start':
      return { kind: 'call', text: '', tool: part.toolName }
    case 'tool-input-delta':
      return { kind: 'call', text: part.delta }
    default:
      return null
  }
}
