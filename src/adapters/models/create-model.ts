import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { efforts, isEffort, parseModelName } from '../../domain/model-name.ts'
import { replayProvider } from '../../domain/providers.ts'
import type { Model } from '../../ports/model.ts'
import { type Endpoint, type Environment, type Providers, resolveEndpoint } from './endpoint.ts'
import type { Timeouts } from './exchange.ts'
import { createGates, type Gates } from './gate.ts'
import { gatedModel } from './gated-model.ts'
import { ollamaWindow } from './ollama-context.ts'
import { createReplayModel } from './replay-model.ts'
import { createSdkModel } from './sdk-model.ts'
import { timeoutsOf } from './timeouts-of.ts'
import { createTrial } from './trial/create-trial.ts'
import type { KeptTrials } from './trial/kept-trials.ts'

export interface ModelOptions {
  /**
   * `anthropic:…`, `openai:…`, `google:…`, `ollama:…`, `<name under providers>:…` or
   * `replay:<file>`, optionally followed by `#` and an effort.
   */
  readonly id: string
  readonly providers?: Providers
  /** The variables with the keys and base URLs. */
  readonly env: Environment
  readonly timeouts?: Partial<Timeouts>
  /** The most tokens of a request and its reply together, if the user sets a limit. */
  readonly contextTokens?: number | undefined
  /** Shared by the models of a process; if left out, the model gets its own gates. */
  readonly gates?: Gates
  /** If left out, the model is not tried before its first use. */
  readonly trials?: { readonly kept: KeptTrials; readonly clock: { now(): Date } } | undefined
}

/**
 * The model of an id. Throws DrydockError `bad_model` for a wrong id, provider, base URL or replay
 * file, and `no_key`, which names the variable. No request is sent and no provider's library is
 * loaded before the first reply.
 */
export function createModel(options: ModelOptions): Model {
  const { id: name, providers = {}, env, timeouts, contextTokens, gates = createGates(), trials } = options
  const named = parseModelName(name)
  if (named === null) {
    throw new DrydockError('bad_model', `"${name}" is not a model id.`, {
      todo: 'Write it as provider:model, for example anthropic:claude-sonnet-5 or replay:demo.json.',
    })
  }
  const { id, provider, effort } = named
  if (provider !== replayProvider && name.includes(',')) {
    throw new DrydockError('bad_model', `"${name}" is not a model id: it holds a comma.`, {
      todo: 'In a list each model has its provider: anthropic:claude-sonnet-5,openai:gpt-5.6. Nothing follows the last.',
    })
  }
  if (effort !== null && !isEffort(effort)) {
    throw new DrydockError('bad_model', `"${effort}" is no effort of a model (in "${name}").`, {
      todo: `After # write one of ${efforts.join(', ')}.`,
    })
  }
  if (provider === replayProvider) return createReplayModel({ id: name, file: named.model })
  const endpoint = resolveEndpoint(provider, named.model, { providers, env, effort })
  const sent = createSdkModel({ id, endpoint, timeouts: timeoutsOf(endpoint, timeouts) })
  const model = gatedModel(sent, gates.of(endpoint))
  const { maxOutputTokens } = endpoint.settings
  return {
    ...model,
    ...(maxOutputTokens !== null && { replyTokens: maxOutputTokens }),
    ...(trials && { trial: createTrial({ model, endpoint, ...trials }) }),
    contextWindow: async () => contextTokens ?? (await trials?.kept.of(endpoint))?.window ?? contextWindow(endpoint),
  }
}

/**
 * The most tokens of a request and its reply together: the configured number, the one in a public
 * list of models, or the default for unknown models.
 */
async function contextWindow(endpoint: Endpoint): Promise<number> {
  const { kind, model } = endpoint
  if (kind === 'ollama') return ollamaWindow(endpoint)
  if (kind === 'openai-compatible') return limits.context.unknownTokens
  const { calcPrice } = await import('@pydantic/genai-prices')
  const listed = calcPrice({ input_tokens: 0, output_tokens: 0 }, model, { providerId: kind })
  return listed?.model.context_window ?? limits.context.unknownTokens
}
