import type { IncomingMessage } from 'node:http'
import type { ProviderKind } from '../../../domain/providers.ts'
import { anthropicMessages } from './formats/anthropic-messages.ts'
import type { Format } from './formats/format.ts'
import { googleGenerate } from './formats/google-generate.ts'
import { openaiChat } from './formats/openai-chat.ts'
import { openaiResponses } from './formats/openai-responses.ts'

/** The purpose of an agent's request. */
export interface Route {
  /**
   * `call`: an answer of a model. `count`: the number of tokens of a request. `list`: the models.
   */
  readonly does: 'call' | 'count' | 'list'
  readonly format: Format
  /** The path below the provider's base URL, with the permitted part of the query. */
  readonly path: string
  /** The model, if the path names it. */
  readonly model: string | null
  readonly isStreaming: boolean
}

interface ServedRoute {
  readonly method: 'GET' | 'POST'
  /**
   * The path at the gateway; its first group is appended to the base URL, its second is the model.
   */
  readonly path: RegExp
  /** The path as people read it. */
  readonly shown: string
  readonly does: Route['does']
  readonly format: Format
  readonly isStreaming?: boolean
}

const models = (format: Format): ServedRoute => {
  const path = /^\/v1(?:beta)?(\/models(?:\/[\w.:-]{1,200})?)$/
  return { method: 'GET', path, shown: '/v1/models', does: 'list', format }
}

const openai: readonly ServedRoute[] = [
  ...(
    [
      [/^\/v1(\/chat\/completions)$/, '/v1/chat/completions', openaiChat],
      [/^\/v1(\/responses)$/, '/v1/responses', openaiResponses],
    ] as const
  ).map(([path, shown, format]) => ({ method: 'POST', path, shown, does: 'call', format }) as const),
  models(openaiChat),
]

/**
 * The paths that the gateway serves for each kind of provider; Ollama also speaks OpenAI's formats.
 */
const served: Readonly<Record<ProviderKind, readonly ServedRoute[]>> = {
  openai,
  'openai-compatible': openai,
  ollama: openai,
  anthropic: [
    { method: 'POST', path: /^\/v1(\/messages)$/, shown: '/v1/messages', does: 'call', format: anthropicMessages },
    {
      method: 'POST',
      path: /^\/v1(\/messages\/count_tokens)$/,
      shown: '/v1/messages/count_tokens',
      does: 'count',
      format: anthropicMessages,
    },
    models(anthropicMessages),
  ],
  google: [google('generateContent', 'call'), google('countTokens', 'count'), streaming(), models(googleGenerate)],
}

function google(method: string, does: Route['does']): ServedRoute {
  const path = new RegExp(`^/v1(?:alpha|beta)?(/models/([\\w.-]{1,200}):${method})$`)
  return { method: 'POST', path, shown: `/v1beta/models/<model>:${method}`, does, format: googleGenerate }
}

function streaming(): ServedRoute {
  return { ...google('streamGenerateContent', 'call'), isStreaming: true }
}

/** The parameters of a query that are passed on; none of them is a key. */
const passedOn = ['beta', 'limit', 'after_id', 'before_id', 'pageSize', 'pageToken']

/** The gateway could not read an answer in another format than JSON. */
function isPassedOn([name, value]: [string, string]): boolean {
  return name === 'alt' ? ['sse', 'json'].includes(value) : passedOn.includes(name)
}

/** The request line. */
export type Asking = Pick<IncomingMessage, 'method' | 'url'>

/** Null for paths that the gateway does not serve for this kind of provider. */
export function routeOf(kind: ProviderKind, { method, url = '' }: Asking): Route | null {
  const target = URL.parse(url, 'http://gateway')
  if (target === null) return null
  for (const { format, does, isStreaming = false, ...each } of served[kind]) {
    const [, path, model = null] = each.path.exec(target.pathname) ?? []
    if (path === undefined || each.method !== method) continue
    const query = new URLSearchParams([...target.searchParams].filter(isPassedOn))
    const prefix = kind === 'ollama' ? '/v1' : ''
    return { does, format, path: `${prefix}${path}${query.size > 0 ? `?${query}` : ''}`, model, isStreaming }
  }
  return null
}

/** The error format for requests that match no path, and the list of served paths. */
export function servedBy(kind: ProviderKind): { readonly format: Format; readonly paths: readonly string[] } {
  const [first] = served[kind]
  if (first === undefined) throw new Error(`nothing is served for ${kind}`)
  return { format: first.format, paths: served[kind].map(({ method, shown }) => `${method} ${shown}`) }
}
