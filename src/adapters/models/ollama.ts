import type { wrapLanguageModel } from 'ai'
import { EmptyAnswer } from './answers/provider-failure.ts'
import { refusalOf } from './answers/reply-stream.ts'
import { boundedJson } from './bounded-json.ts'
import type { Endpoint } from './endpoint.ts'
import type { LanguageModel, StreamPart } from './language-model.ts'
import { withSettings } from './model-settings.ts'
import { type Ending, readAnswer, withOllamaAdvice } from './ollama-answer.ts'
import { defaultContext, keepContext, knownContext } from './ollama-context.ts'
import { ollamaBody, promptTokens, wasCut } from './ollama-request.ts'

type Fetch = typeof globalThis.fetch
type Middleware = Exclude<Parameters<typeof wrapLanguageModel>[0]['middleware'], unknown[]>

/** Facts of one exchange besides its text. */
interface ExchangeFacts {
  sent: number
  numCtx: number
  ending: Ending | null
}

/** A model of Ollama through its native API, the only one that can request a context size. */
export async function connectOllama(endpoint: Endpoint, fetch: Fetch): Promise<LanguageModel> {
  const [{ createOllama }, { wrapLanguageModel }] = await Promise.all([import('ollama-ai-provider-v2'), import('ai')])
  const heard: ExchangeFacts = { sent: 0, numCtx: 0, ending: null }
  const headers = endpoint.apiKey === null ? {} : { headers: { Authorization: `Bearer ${endpoint.apiKey}` } }
  const { settings } = endpoint
  const show = withSettings(fetch, { ...settings, extraBody: {} })
  const connect = createOllama({
    name: endpoint.provider,
    baseURL: `${endpoint.baseURL}/api`,
    fetch: ollamaFetch(endpoint, { show, reply: withSettings(fetch, settings) }, heard),
    ...headers,
  })
  return wrapLanguageModel({ model: connect(endpoint.model), middleware: completing(endpoint.provider, heard) })
}

function ollamaFetch(
  endpoint: Endpoint,
  { show, reply }: Record<'show' | 'reply', Fetch>,
  heard: ExchangeFacts,
): Fetch {
  return async (url, init) => {
    const asked = String(init?.body)
    heard.numCtx = await contextFor(endpoint, show, init?.headers)
    heard.sent = promptTokens(asked)
    const response = await reach(endpoint, () =>
      reply(url, { ...init, body: ollamaBody(asked, endpoint, heard.numCtx) }),
    )
    const { ok, status, body } = response
    if (body === null) throw new EmptyAnswer()
    if (!ok) {
      const refusal = await refusalOf({ status, headers: new Map(response.headers), body })
      throw withOllamaAdvice(refusal, endpoint.model)
    }
    const lines = readAnswer(body, (ending) => {
      heard.ending = ending
    })
    return new Response(lines, response)
  }
}

/**
 * A server without `/api/show` gets the limit. Other refusals would also apply to the reply, so
 * they are reported.
 */
async function contextFor(endpoint: Endpoint, fetch: Fetch, headers: RequestInit['headers']): Promise<number> {
  const known = knownContext(endpoint)
  if (known !== undefined) return known
  const body = JSON.stringify({ model: endpoint.model })
  const init = { method: 'POST', body, ...(headers && { headers }) }
  const response = await reach(endpoint, () => fetch(`${endpoint.baseURL}/api/show`, init))
  const shown: unknown = await boundedJson(response).catch(() => null)
  if (!response.ok || typeof shown !== 'object' || shown === null) return defaultContext({})
  const context = defaultContext(shown)
  keepContext(endpoint, context)
  return context
}

async function reach(endpoint: Endpoint, send: () => Promise<Response>): Promise<Response> {
  try {
    return await send()
  } catch (cause) {
    const refused = typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'ECONNREFUSED'
    if (!refused) throw cause
    throw new Error(`nothing answers at ${endpoint.baseURL}; start Ollama with: ollama serve`, { cause })
  }
}

/**
 * Corrects the library's reading of an answer: empty texts, the finish reason, missing token
 * counts, and a prompt that was cut.
 */
function completing(provider: string, heard: ExchangeFacts): Middleware {
  const opened = new Set<string>()
  const transform = () =>
    new TransformStream<StreamPart, StreamPart>({
      transform(part, controller) {
        switch (part.type) {
          case 'text-start':
            return
          case 'text-end':
            return opened.has(part.id) ? controller.enqueue(part) : undefined
          case 'text-delta':
            if (part.delta === '') return
            if (!opened.has(part.id)) controller.enqueue({ type: 'text-start', id: part.id })
            opened.add(part.id)
            return controller.enqueue(part)
          case 'finish': {
            const cut = cutOf(provider, heard)
            if (cut) controller.enqueue({ type: 'error', error: cut })
            return controller.enqueue(finished(part, heard.ending))
          }
          default:
            return controller.enqueue(part)
        }
      },
    })
  return {
    specificationVersion: 'v4',
    wrapStream: async ({ doStream }) => {
      const result = await doStream()
      return { ...result, stream: result.stream.pipeThrough(transform()) }
    },
  }
}

function finished(part: Extract<StreamPart, { type: 'finish' }>, ending: Ending | null): StreamPart {
  const input = { total: ending?.promptTokens ?? undefined, noCache: undefined, cacheRead: undefined }
  const output = { total: ending?.replyTokens ?? undefined, text: undefined, reasoning: undefined }
  const usage = { inputTokens: { ...input, cacheWrite: undefined }, outputTokens: output }
  const finishReason = ending?.reason === 'length' ? ({ unified: 'length', raw: 'length' } as const) : part.finishReason
  return { ...part, usage, finishReason }
}

/** The error for a prompt whose beginning the server dropped, which no reply would show. */
function cutOf(provider: string, { sent, numCtx, ending }: ExchangeFacts): object | null {
  const read = ending?.promptTokens ?? null
  if (read === null || !wasCut({ sent, read, numCtx })) return null
  const message = `The server read only ${read} of at least ${sent} tokens. num_ctx was ${numCtx}. Raise providers.${provider}.num_ctx, or find out why the server ignores it.`
  return { type: 'prompt_truncated', message }
}
