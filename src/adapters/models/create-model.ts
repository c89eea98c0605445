import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import type { Model } from '../../ports/model.ts'
import { contextWindow } from './context-window.ts'
import { type Endpoint, type Environment, type Providers, resolveEndpoint } from './endpoint.ts'
import type { Timeouts } from './exchange.ts'
import { createGates, type Gates } from './gate.ts'
import { createReplayModel } from './replay-model.ts'
import { createSdkModel } from './sdk-model.ts'

export interface ModelOptions {
  /**
   * `anthropic:…`, `openai:…`, `google:…`, `ollama:…`, `<name under providers>:…` or
   * `replay:<file>`.
   */
  readonly id: string
  readonly providers?: Providers
  /** Where keys and base URLs are read from. */
  readonly env: Environment
  readonly timeouts?: Partial<Timeouts>
  /** Tokens that a request and its reply may have together, if the user says so. */
  readonly contextTokens?: number | undefined
  /** Shared by the models of a process; without it the model has gates of its own. */
  readonly gates?: Gates
}

/**
 * The model that an id names. Throws a DrydockError: `bad_model` (the id, its provider, its base
 * URL or its replay file), `no_key` (names the variable). Nothing is sent and no library of a
 * provider is loaded before the first reply.
 */
export function createModel(options: ModelOptions): Model {
  const { id, providers = {}, env, timeouts, contextTokens, gates = createGates() } = options
  const [, provider, name] = /^([a-z0-9][a-z0-9._-]*):(\S.*)$/is.exec(id.trim()) ?? []
  if (!provider || !name) {
    throw new DrydockError('bad_model', `"${id}" is not a model id.`, {
      todo: 'Write it as provider:model, for example anthropic:claude-sonnet-5 or replay:demo.json.',
    })
  }
  if (provider === 'replay') return createReplayModel({ id, file: name })
  const endpoint = resolveEndpoint(provider, name, { providers, env })
  const model = createSdkModel({
    id,
    endpoint,
    gate: gates.of(endpoint),
    timeouts: { ...patienceWith(endpoint), ...timeouts },
  })
  return { ...model, contextWindow: async () => contextTokens ?? contextWindow(endpoint) }
}

const patience: Timeouts = {
  firstByteMs: limits.localFirstByteSec * 1_000,
  idleMs: limits.localIdleSec * 1_000,
  totalMs: limits.localTotalSec * 1_000,
}

/**
 * A server on this machine loads the model when it is first asked, reads a long prompt for minutes,
 * and may write a long reply for longer than any provider.
 */
function patienceWith({ kind, baseURL }: Endpoint): Partial<Timeouts> {
  const isHere = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(baseURL).hostname)
  return isHere || kind === 'ollama' ? patience : {}
}
