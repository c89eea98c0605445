import type { Endpoint } from './endpoint.ts'
import type { Exchange } from './exchange.ts'
import type { CallOptions, LanguageModel } from './language-model.ts'
import { withSettings } from './model-settings.ts'
import { withThinkingInside } from './thinking-inside.ts'

export type ProviderOptions = NonNullable<CallOptions['providerOptions']>
type Fetch = typeof globalThis.fetch

/** Given no key, the SDK would look for one in the process's environment. */
const NO_KEY = 'none'

/** The exchange of a call, and the most tokens of its reply including reasoning. */
interface CallToMake {
  readonly exchange: Exchange
  readonly replyTokens: number
}

/** Makes the SDK's model for one call. */
export type Connect = (call: CallToMake) => Promise<LanguageModel>

/**
 * Loads only this provider's library. URL and key are always given, so the SDK never reads the
 * environment itself.
 */
export function createConnect(endpoint: Endpoint): Connect {
  const { kind, settings } = endpoint
  if (kind === 'ollama') return ({ exchange }) => ollama(endpoint, exchange)
  return ({ exchange, replyTokens }) => {
    const fetch = withThinkingInside(withSettings(exchange.fetch as unknown as Fetch, settings), replyTokens)
    return library(kind, endpoint, fetch)
  }
}

/** Statuses for which a `Response` must have no body. */
const bodiless = [204, 205, 304]

/** Ollama's library expects whole responses. */
async function ollama(endpoint: Endpoint, exchange: Exchange): Promise<LanguageModel> {
  const fetch = async (url: string, init: Parameters<Exchange['fetch']>[1]) => {
    const { body, status, statusText, headers } = await exchange.fetch(url, init)
    return new Response(bodiless.includes(status) ? null : body, { status, statusText, headers: [...headers] })
  }
  return (await import('./ollama.ts')).connectOllama(endpoint, fetch as unknown as Fetch)
}

type LibraryKind = Exclude<Endpoint['kind'], 'ollama'>

async function library(kind: LibraryKind, endpoint: Endpoint, fetch: Fetch): Promise<LanguageModel> {
  const { model, baseURL, apiKey, provider } = endpoint
  const settings = { baseURL, apiKey: apiKey ?? NO_KEY, fetch }
  switch (kind) {
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic(settings)(model)
    case 'openai':
      return (await import('@ai-sdk/openai')).createOpenAI(settings).responses(model)
    case 'google':
      return (await import('@ai-sdk/google')).createGoogle(settings)(model)
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      const key = apiKey === null ? {} : { apiKey }
      return createOpenAICompatible({ name: provider, baseURL, fetch, includeUsage: true, ...key })(model)
    }
    default:
      throw new Error(`unknown kind of provider ${kind satisfies never}`)
  }
}

/**
 * `store: false`: we keep the history, so it must not depend on the server's memory; the SDK then
 * asks reasoning models for their encrypted reasoning (other models answer such a request with
 * 400). `toolStreaming: false`: partial calls are not used, and only without it does Anthropic
 * guarantee valid JSON.
 */
export const providerOptions: ProviderOptions = {
  openai: { store: false },
  anthropic: { toolStreaming: false },
}
