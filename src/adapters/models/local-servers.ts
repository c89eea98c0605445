import { isObject } from '../../domain/json.ts'
import { type LocalProvider, localNames, localProviders } from '../../domain/providers.ts'
import { boundedJson } from './bounded-json.ts'
import { contextOf, type ShownModel } from './ollama-context.ts'

/** A model of a server on this machine. Facts that the server does not report are null. */
export interface LocalModel {
  /** The id for `--model`, such as `ollama:qwen3:8b`. */
  readonly id: string
  readonly tools: boolean | null
  /** The context size in tokens that the server uses, or else the largest possible one. */
  readonly context: number | null
}

export interface LocalServer {
  /** The provider's name in model ids. */
  readonly provider: LocalProvider
  readonly title: string
  readonly origin: string
  readonly models: readonly LocalModel[]
}

/** A server on loopback answers within this time unless it is busy. */
const ANSWER_MS = 1_000
/** The most models of one server that are examined. */
const MODELS = 30

type ReadJson = (path: string, body?: object) => Promise<unknown>
type ServerModels = readonly {
  readonly name: string
  readonly tools: boolean | null
  readonly context: number | null
}[]

/**
 * Identifies each server by an answer that only it gives, since another program may use its port.
 * Null if it is another program.
 */
const looks: Readonly<Record<LocalProvider, (read: ReadJson) => Promise<ServerModels | null>>> = {
  ollama: lookAtOllama,
  lmstudio: lookAtLmStudio,
  llamacpp: lookAtLlamaCpp,
  vllm: lookAtVllm,
}

/**
 * Finds the model servers of this machine. Only 127.0.0.1 is asked, and a slow server does not
 * delay the result.
 */
export async function findLocalServers(
  ports: Readonly<Partial<Record<LocalProvider, number>>> = {},
): Promise<readonly LocalServer[]> {
  const looking = localNames.map((provider) => lookAt(provider, ports[provider] ?? localProviders[provider].port))
  const found = await Promise.all(looking)
  return found.filter((server) => server !== null)
}

async function lookAt(provider: LocalProvider, port: number): Promise<LocalServer | null> {
  const origin = `http://127.0.0.1:${port}`
  const { title } = localProviders[provider]
  const models = await looks[provider](reader(origin)).catch(() => null)
  if (models === null) return null
  const named = models.map(({ name, tools, context }) => ({ id: `${provider}:${name}`, tools, context }))
  return { provider, title, origin, models: named }
}

/** Reads JSON; rejects for any other answer. */
function reader(origin: string): ReadJson {
  return async (path, body) => {
    const response = await fetch(`${origin}${path}`, {
      signal: AbortSignal.timeout(ANSWER_MS),
      redirect: 'error',
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`answered ${response.status}`)
    return boundedJson(response)
  }
}

async function lookAtOllama(read: ReadJson): Promise<ServerModels | null> {
  const tags = fields(await read('/api/tags')).models
  if (!Array.isArray(tags)) return null
  return Promise.all(
    tags.slice(0, MODELS).map(async (tag) => {
      const name = String(fields(tag).name)
      const shown: ShownModel = fields(await read('/api/show', { model: name }).catch(() => ({})))
      const { most, own } = contextOf(shown)
      return { name, tools: shown.capabilities?.includes('tools') ?? null, context: own ?? most }
    }),
  )
}

async function lookAtLmStudio(read: ReadJson): Promise<ServerModels | null> {
  return modelsOf(await read('/api/v0/models'))
    .filter(({ type }) => type !== 'embeddings')
    .map(({ id, capabilities, loaded_context_length, max_context_length }) => ({
      name: String(id),
      tools: Array.isArray(capabilities) ? capabilities.includes('tool_use') : null,
      context: numberOf(loaded_context_length) ?? numberOf(max_context_length),
    }))
}

async function lookAtLlamaCpp(read: ReadJson): Promise<ServerModels | null> {
  const props = fields(await read('/props'))
  const context = numberOf(fields(props.default_generation_settings).n_ctx)
  const { supports_tools: tools } = fields(props.chat_template_caps)
  if (context === null) return null
  return modelsOf(await read('/v1/models')).map(({ id }) => {
    // llama.cpp names a model by its file.
    const name = String(id).split('/').at(-1) ?? ''
    return { name, tools: typeof tools === 'boolean' ? tools : null, context }
  })
}

async function lookAtVllm(read: ReadJson): Promise<ServerModels | null> {
  const models = modelsOf(await read('/v1/models')).filter(({ owned_by }) => owned_by === 'vllm')
  if (models.length === 0) return null
  return models.map(({ id, max_model_len }) => ({ name: String(id), tools: null, context: numberOf(max_model_len) }))
}

function modelsOf(answer: unknown): readonly Readonly<Record<string, unknown>>[] {
  const { data } = fields(answer)
  if (!Array.isArray(data)) throw new Error('no list of models')
  return data.slice(0, MODELS).map(fields)
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {}
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && value > 0 ? value : null
}
