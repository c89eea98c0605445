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

/** One entry of `providers` in the user's configuration. Without `apiKeyEnv` no key is sent. */
export interface ProviderConfig {
  readonly kind: 'openai-compatible' | 'anthropic' | 'openai'
  readonly baseURL: string
  readonly apiKeyEnv?: string
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
    }
  }
  if (!configured) throw unknownProvider(name, from.providers)
  const { kind, apiKeyEnv } = configured
  return {
    provider: name,
    kind,
    model,
    baseURL: baseUrlOf(name, configured),
    apiKey: apiKeyEnv === undefined ? null : keyFrom(from.env, apiKeyEnv, name),
  }
}

function isBuiltIn(name: string): name is keyof typeof builtIn {
  return Object.hasOwn(builtIn, name)
}

function unknownProvider(name: string, providers: Providers): DrydockError {
  if (name === 'ollama') {
    return new DrydockError('bad_model', 'The provider ollama is not supported yet.', {
      todo: 'Add the server under "providers" with kind "openai-compatible" and use that name.',
    })
  }
  const known = [...Object.keys(builtIn), 'replay', ...Object.keys(providers)].join(', ')
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
 * Anthropic's own tools name the host without `/v1`, the SDK wants it with; OpenAI's convention has it everywhere.
 * The URL itself is never quoted: it may hold a password.
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
  return from.kind === 'anthropic' && !base.endsWith('/v1') ? `${base}/v1` : base
}
