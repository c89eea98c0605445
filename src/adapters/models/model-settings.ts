import { DrydockError } from '../../domain/drydock-error.ts'
import { isObject, type Json, type JsonObject } from '../../domain/json.ts'
import type { Effort } from '../../domain/model-name.ts'

/** Settings that a user adds to each request of a provider, or of one of its models. */
export interface ModelSettings {
  readonly headers?: Readonly<Record<string, string | { readonly env: string }>>
  readonly extra_body?: Readonly<Record<string, unknown>>
  readonly effort?: Effort
  readonly temperature?: number
  readonly max_output_tokens?: number
}

/** A provider's settings, and those of single models by name. */
export interface ProviderSettings extends ModelSettings {
  readonly models?: Readonly<Record<string, ModelSettings>>
}

/** The settings of one model, with the values of its headers resolved. */
export interface RequestSettings {
  readonly headers: Readonly<Record<string, string>>
  readonly extraBody: JsonObject
  readonly effort: Effort | null
  readonly temperature: number | null
  readonly maxOutputTokens: number | null
}

/** Throws DrydockError `no_key` for a header whose variable is not set. */
export function settingsOf(
  { models = {}, ...ofProvider }: ProviderSettings,
  { provider, model, effort }: { readonly provider: string; readonly model: string; readonly effort: Effort | null },
  env: Readonly<Record<string, string | undefined>>,
): RequestSettings {
  const ofModel = Object.hasOwn(models, model) ? (models[model] ?? {}) : {}
  const named = { ...lowerCased(ofProvider.headers), ...lowerCased(ofModel.headers) }
  const headers = Object.entries(named).map(([name, value]) => [name, headerValue(value, { provider, name, env })])
  return {
    headers: Object.fromEntries(headers),
    extraBody: merged(asJson(ofProvider.extra_body), asJson(ofModel.extra_body)),
    effort: effort ?? ofModel.effort ?? ofProvider.effort ?? null,
    temperature: ofModel.temperature ?? ofProvider.temperature ?? null,
    maxOutputTokens: ofModel.max_output_tokens ?? ofProvider.max_output_tokens ?? null,
  }
}

/** `fetch` that adds the user's headers and body fields to each request. */
export function withSettings(
  fetch: typeof globalThis.fetch,
  { headers, extraBody }: RequestSettings,
): typeof globalThis.fetch {
  const hasBody = Object.keys(extraBody).length > 0
  if (!hasBody && Object.keys(headers).length === 0) return fetch
  return (url, init) => {
    const all = { ...Object.fromEntries(new Headers(init?.headers)), ...headers }
    if (!hasBody || typeof init?.body !== 'string') return fetch(url, { ...init, headers: all })
    return fetch(url, { ...init, headers: all, body: JSON.stringify(merged(JSON.parse(init.body), extraBody)) })
  }
}

/** Objects are merged key by key; for all other values the second wins. */
function merged(first: JsonObject, second: JsonObject): JsonObject {
  const entries = Object.entries(second).map(([key, value]): [string, Json] => {
    const before = Object.hasOwn(first, key) ? first[key] : undefined
    return [key, isObject(before) && isObject(value) ? merged(before, value) : value]
  })
  return { ...first, ...Object.fromEntries(entries) }
}

function asJson(body: Readonly<Record<string, unknown>> = {}): JsonObject {
  return body as JsonObject
}

function lowerCased<Value>(headers: Readonly<Record<string, Value>> = {}): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

interface Reading {
  readonly provider: string
  readonly name: string
  readonly env: Readonly<Record<string, string | undefined>>
}

function headerValue(value: string | { readonly env: string }, { provider, name, env }: Reading): string {
  if (typeof value === 'string') return value
  const read = env[value.env]?.trim()
  if (read) return read
  throw new DrydockError(
    'no_key',
    `${value.env} is not set. The header ${name} of the provider ${provider} needs it.`,
    {
      todo: `export ${value.env}=…`,
    },
  )
}
