import { DrydockError } from '../../domain/drydock-error.ts'

/** Names that always mean the same; a user's `providers` cannot redefine them. */
const builtIn = {
  anthropic: {
    keyEnv: 'ANTHROPIC_API_KEY',
    baseEnv: 'ANTHROPIC_BASE_URL',
    baseURL: 'https://api.anthropic.com/v1',
  },
  openai: {
    keyEnv: 'OPENAI_API_KEY',
    baseEnv: 'OPENAI_BASE_URL',
    baseURL: 'https://api.openai.com/v1',
  },
  google: {
    keyEnv: 'GOOGLE_GENERATIVE_AI_API_KEY',
    baseEnv: 'GOOGLE_GENERATIVE_AI_BASE_URL',
    baseURL: 'https://generativelanguage.googleapis.com/v1beta',
  },
} as const

/**
 * Servers that people run on their own machine, where they listen by default; an entry under
 * `providers` may say otherwise.
 */
const local: Providers = {
  ollama: { kind: 'ollama' },
  lmstudio: { kind: 'openai-compatible', baseURL: 'http://127.0.0.1:1234/v1' },
  llamacpp: { kind: 'openai-compatible', baseURL: 'http://127.0.0.1:8080/v1' },
  vllm: { kind: 'openai-compatible', baseURL: 'http://127.0.0.1:8000/v1' },
}

/** One entry of `providers` in the user's configuration. Without `apiKeyEnv` no key is sent. */
export type ProviderConfig =
  | {
      readonly kind: 'openai-compatible' | 'anthropic' | 'openai'
      readonly baseURL: string
      readonly apiKeyEnv?: string
    }
  | {
      readonly kind: 'ollama'
      /** Without it the server that `OLLAMA_HOST` names. */
      readonly baseURL?: string
      readonly apiKeyEnv?: string
      /** Tokens of context that are asked for. */
      readonly num_ctx?: number
    }

export type Providers = Readonly<Record<string, ProviderConfig>>
export type Environment = Readonly<Record<string, string | undefined>>

/** Where a model is reached and how it is spoken to. */
export interface Endpoint {
  /** The name in the model id. */
  readonly provider: string
  readonly kind: ProviderConfig['kind'] | 'google'
  readonly model: string
  /** Without a slash at the end. */
  readonly baseURL: string
  readonly apiKey: string | null
  /** The variables that its key and its base URL are read from; null where there is none. */
  readonly keyEnv: string | null
  readonly baseEnv: string | null
  /**
   * Of Ollama: the tokens of context that the user wants; null for what the model has, within a
   * limit.
   */
  readonly numCtx: number | null
}

/** Looks a provider up and reads its key; throws `bad_model` or `no_key`. */
export function resolveEndpoint(
  name: string,
  model: string,
  from: { providers: Providers; env: Environment },
): Endpoint {
  const configured = Object.hasOwn(from.providers, name) ? from.providers[name] : undefined
  if (isBuiltIn(name)) {
    if (configured) {
      throw new DrydockError('bad_model', `The provider name ${name} is built in.`, {
        todo: `Give the entry "${name}" under "providers" another name.`,
      })
    }
    const { keyEnv, baseEnv, baseURL } = builtIn[name]
    return {
      provider: name,
      kind: name,
      model,
      baseURL: baseUrlOf(name, { kind: name, baseURL: from.env[baseEnv] || baseURL }),
      apiKey: keyFrom(from.env, keyEnv, name),
      ...{ keyEnv, baseEnv },
      numCtx: null,
    }
  }
  const config = configured ?? (Object.hasOwn(local, name) ? local[name] : undefined)
  if (config?.kind === 'ollama') return ollamaEndpoint({ name, model, config, env: from.env })
  if (!config) throw unknownProvider(name, from.providers)
  const { kind, apiKeyEnv, baseURL } = config
  return {
    provider: name,
    kind,
    model,
    baseURL: baseUrlOf(name, { kind, baseURL }),
    apiKey: apiKeyEnv === undefined ? null : keyFrom(from.env, apiKeyEnv, name),
    ...{ keyEnv: apiKeyEnv ?? null, baseEnv: null },
    numCtx: null,
  }
}

interface OllamaSource {
  readonly name: string
  readonly model: string
  readonly config: Extract<ProviderConfig, { kind: 'ollama' }>
  readonly env: Environment
}

/** No key is needed; a proxy in front of the server may want one. */
function ollamaEndpoint({ name, model, config, env }: OllamaSource): Endpoint {
  const { kind, apiKeyEnv, baseURL, num_ctx: numCtx = null } = config
  return {
    provider: name,
    kind,
    model,
    baseURL: baseUrlOf(name, { kind, baseURL: baseURL ?? ollamaHost(env.OLLAMA_HOST ?? '') }),
    apiKey: apiKeyEnv === undefined ? null : keyFrom(env, apiKeyEnv, name),
    keyEnv: apiKeyEnv ?? null,
    baseEnv: baseURL === undefined ? 'OLLAMA_HOST' : null,
    numCtx,
  }
}

/**
 * `OLLAMA_HOST` as Ollama itself reads it: host, port and scheme may each be left out, and the
 * address to listen on at all is this machine.
 */
export function ollamaHost(value: string): string {
  const [, scheme, rest = ''] = /^(https?:\/\/)?(.*)$/i.exec(value.trim().replace(/^["']|["']$/g, '')) ?? []
  const named = rest.startsWith(':') ? `127.0.0.1${rest}` : rest || '127.0.0.1'
  const host = named.replace(/^(0\.0\.0\.0|\[::\])(?=[:/]|$)/, '127.0.0.1')
  if (scheme) return `${scheme}${host}`
  const [authority = '', ...path] = host.split('/')
  const withPort = /:\d+$/.test(authority) ? authority : `${authority}:11434`
  return `http://${[withPort, ...path].join('/')}`
}

function isBuiltIn(name: string): name is keyof typeof builtIn {
  return Object.hasOwn(builtIn, name)
}

function unknownProvider(name: string, providers: Providers): DrydockError {
  const names = [...Object.keys(builtIn), ...Object.keys(local), 'replay', ...Object.keys(providers)]
  const known = [...new Set(names)].join(', ')
  return new DrydockError('bad_model', `There is no model provider named "${name}"; known are ${known}.`, {
    todo: 'Use one of them, or add it under "providers" in the user\'s config.json.',
  })
}

function keyFrom(env: Environment, variable: string, provider: string): string {
  const key = env[variable]?.trim()
  if (key) return key
  throw new DrydockError('no_key', `${variable} is not set; the provider ${provider} needs it.`, {
    todo: `export ${variable}=…`,
  })
}

/**
 * Anthropic's own tools name the host without `/v1`, the SDK wants it with; OpenAI's convention has
 * it everywhere. The URL itself is never quoted: it may hold a password.
 */
function baseUrlOf(provider: string, from: { kind: Endpoint['kind']; baseURL: string }): string {
  const url = URL.parse(from.baseURL)
  const usable = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash
  if (!usable) {
    throw new DrydockError('bad_model', `The base URL of the provider ${provider} is not usable.`, {
      todo: 'Give an http or https URL without user name, password, query or fragment.',
    })
  }
  const base = url.href.replace(/\/+$/, '')
  if (from.kind === 'ollama') return base.replace(/\/(api|v1)$/, '')
  return from.kind === 'anthropic' && !base.endsWith('/v1') ? `${base}/v1` : base
}
