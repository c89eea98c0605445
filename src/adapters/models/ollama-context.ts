import { limits } from '../../domain/limits.ts'
import type { Endpoint } from './endpoint.ts'

/** What a model can have does not change; asked for once. */
const contexts = new WeakMap<Endpoint, number>()

/** What the user has named, or the server has said. */
export function knownContext(endpoint: Endpoint): number | undefined {
  return endpoint.numCtx ?? contexts.get(endpoint)
}

export function keepContext(endpoint: Endpoint, context: number): void {
  contexts.set(endpoint, context)
}

/** The tokens of context that are asked for, as far as that is known before the first request. */
export function ollamaWindow(endpoint: Endpoint): number {
  return knownContext(endpoint) ?? limits.ollamaContext
}

/** The slice of `/api/show` that is read here. */
export interface ShownModel {
  readonly model_info?: Readonly<Record<string, unknown>>
  readonly parameters?: string
  readonly capabilities?: readonly string[]
}

/**
 * The tokens of context that a model can have, and those that its own file asks for; null where the
 * server does not say.
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
 * What is asked for when the user names no number: what the model's own file says, else all that it
 * can have within the limit.
 */
export function defaultContext(shown: ShownModel): number {
  const { most, own } = contextOf(shown)
  return own ?? Math.min(most ?? limits.ollamaContext, limits.ollamaContext)
}
