import { limits } from '../../domain/limits.ts'
import type { Endpoint } from './endpoint.ts'

/** The model's largest context does not change, so it is asked for once. */
const contexts = new WeakMap<Endpoint, number>()

/** The number that the user set, or the one that the server reported. */
export function knownContext(endpoint: Endpoint): number | undefined {
  return endpoint.numCtx ?? contexts.get(endpoint)
}

export function keepContext(endpoint: Endpoint, context: number): void {
  contexts.set(endpoint, context)
}

/** The context size to request, as far as it is known before the first request. */
export function ollamaWindow(endpoint: Endpoint): number {
  return knownContext(endpoint) ?? limits.ollamaContext
}

/** The fields of `/api/show` that are read here. */
export interface ShownModel {
  readonly model_info?: Readonly<Record<string, unknown>>
  readonly parameters?: string
  readonly capabilities?: readonly string[]
}

/**
 * The model's largest context in tokens, and the one that its own file sets; null if the server
 * reports none.
 */
export function contextOf({ model_info: info = {}, parameters = '' }: ShownModel): {
  readonly most: number | null
  readonly own: number | null
} {
  const most = info[`${String(info['general.architecture'])}.context_length`]
  const own = Number(/^num_ctx\s+(\d+)\s*$/m.exec(parameters)?.[1] ?? 0)
  return { most: typeof most === 'number' && most > 0 ? most : null, own: own || null }
}

/**
 * The context size if the user sets none: the one of the model's file, or else its largest within
 * the limit.
 */
export function defaultContext(shown: ShownModel): number {
  const { most, own } = contextOf(shown)
  return own ?? Math.min(most ?? limits.ollamaContext, limits.ollamaContext)
}
