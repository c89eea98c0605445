import { isObject } from '../../../domain/json.ts'
import { limits } from '../../../domain/limits.ts'
import { protocols } from '../../../domain/providers.ts'
import { createTransport } from '../../../http/transport.ts'
import { boundedJson } from '../bounded-json.ts'
import type { Endpoint } from '../endpoint.ts'
import type { ToolServer } from './tool-remedy.ts'

/** A fact is null if the server does not report it. */
interface ServerFacts {
  /** The context size in tokens that the server uses for the model. */
  readonly window: number | null
  readonly server: ToolServer | null
}

type Fields = Readonly<Record<string, unknown>>

const untold: ServerFacts = { window: null, server: null }

/**
 * The model list of an OpenAI-compatible server may contain the context size, in a field whose name
 * differs by server. llama.cpp and LM Studio report it outside that API. Never rejects.
 */
export async function serverFacts(endpoint: Endpoint): Promise<ServerFacts> {
  if (endpoint.kind !== 'openai-compatible') return untold
  const read = reader(endpoint)
  const { origin } = new URL(endpoint.baseURL)
  const found = modelIn(await read(`${endpoint.baseURL}${protocols[endpoint.kind].modelsPath}`), endpoint.model)
  if (found === null) return untold
  if (found.owned_by === 'llamacpp') return { window: await llamaCppWindow(read, origin), server: 'llamacpp' }
  const window = windowIn(found)
  if (found.owned_by === 'vllm') return { window, server: 'vllm' }
  if (window !== null) return { window, server: null }
  const own = modelIn(await read(`${origin}/api/v0/models`), endpoint.model)
  const loaded = own && (numberOf(own.loaded_context_length) ?? numberOf(own.max_context_length))
  return loaded === null ? untold : { window: loaded, server: 'lmstudio' }
}

/** `meta.n_ctx_train` in the model list is the context size of the model's training. */
async function llamaCppWindow(read: ReadUrl, origin: string): Promise<number | null> {
  const props = fieldsOf(await read(`${origin}/props`))
  return numberOf(fieldsOf(props.default_generation_settings).n_ctx)
}

/** The fields of vLLM, OpenRouter (whose providers may give less), Groq and Mistral. */
function windowIn(model: Fields): number | null {
  const { max_model_len, context_length, context_window, max_context_length, top_provider } = model
  const told = [max_model_len, context_length, context_window, max_context_length].map(numberOf)
  const first = told.find((each) => each !== null) ?? null
  const atProvider = numberOf(fieldsOf(top_provider).context_length)
  return first !== null && atProvider !== null ? Math.min(first, atProvider) : first
}

type ReadUrl = (url: string) => Promise<unknown>

/** Reads JSON from a URL of the server. Null if the server does not answer with JSON in time. */
function reader({ apiKey, kind, settings, proxy }: Endpoint): ReadUrl {
  const ask = createTransport(proxy)
  const signal = AbortSignal.timeout(limits.trial.windowMs)
  const key = apiKey === null ? {} : protocols[kind].keyHeaders(apiKey)
  return async (url) => {
    try {
      const answer = await ask(url, { headers: { ...key, ...settings.headers }, signal })
      try {
        return answer.ok ? await boundedJson(answer) : null
      } finally {
        answer.body.destroy()
      }
    } catch {
      return null
    }
  }
}

/** llama.cpp names its only model by a file. */
function modelIn(answer: unknown, name: string): Fields | null {
  const { data } = fieldsOf(answer)
  if (!Array.isArray(data)) return null
  const models = data.map(fieldsOf)
  const named = models.find(({ id }) => id === name)
  const [only] = models
  return named ?? (models.length === 1 && only?.owned_by === 'llamacpp' ? only : null)
}

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {}
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null
}
