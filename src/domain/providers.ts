/**
 * The protocol of a provider: everything that providers of one protocol share. Requests are made by
 * `adapters/models/connect.ts`.
 */
export interface Protocol {
  /** The end of a base URL, and an ending that people add by mistake. */
  readonly base?: { readonly endsWith?: string; readonly without?: RegExp }
  /** Path of the list of models, which costs nothing to read. */
  readonly modelsPath: string
  readonly keyHeaders: (key: string) => Readonly<Record<string, string>>
  /** Statuses of an answer to a wrong key. */
  readonly keyRefusals: readonly number[]
  /**
   * Requirement of the provider's cache to recognize a conversation: marks in the request, a key,
   * or nothing.
   */
  readonly caching: 'marks' | 'key' | 'none'
  /** Headers that report the rest of a limit; `*` stands for limit, remaining and reset. */
  readonly rateLimits: readonly { readonly unit: 'requests' | 'tokens'; readonly header: string }[]
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

const openaiLimits = [
  { unit: 'requests', header: 'x-ratelimit-*-requests' },
  { unit: 'tokens', header: 'x-ratelimit-*-tokens' },
] as const

/** The kinds of an entry of `providers` in the user's configuration. */
export const ownKinds = ['openai-compatible', 'anthropic', 'openai', 'google'] as const

export const protocols = {
  anthropic: {
    // Anthropic's own tools name the host without `/v1`.
    base: { endsWith: '/v1' },
    modelsPath: '/models?limit=1000',
    keyHeaders: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    keyRefusals: [401, 403],
    caching: 'marks',
    rateLimits: [
      { unit: 'requests', header: 'anthropic-ratelimit-requests-*' },
      { unit: 'tokens', header: 'anthropic-ratelimit-input-tokens-*' },
      { unit: 'tokens', header: 'anthropic-ratelimit-tokens-*' },
    ],
  },
  openai: {
    modelsPath: '/models',
    keyHeaders: bearer,
    keyRefusals: [401, 403],
    caching: 'key',
    rateLimits: openaiLimits,
  },
  google: {
    modelsPath: '/models?pageSize=1000',
    keyHeaders: (key) => ({ 'x-goog-api-key': key }),
    // Google answers a wrong key as a bad request.
    keyRefusals: [400, 401, 403],
    caching: 'none',
    rateLimits: [],
  },
  'openai-compatible': {
    modelsPath: '/models',
    keyHeaders: bearer,
    keyRefusals: [401, 403],
    caching: 'none',
    rateLimits: openaiLimits,
  },
  ollama: {
    base: { without: /\/(api|v1)$/ },
    modelsPath: '/api/tags',
    keyHeaders: bearer,
    keyRefusals: [401, 403],
    caching: 'none',
    rateLimits: [],
  },
} as const satisfies Readonly<Record<string, Protocol>>

export type ProviderKind = keyof typeof protocols

/**
 * A provider with a host of its own: a public list under its name has the prices, and no entry of
 * the user can redefine it.
 */
interface ProviderWithHost {
  readonly kind: ProviderKind
  readonly baseURL: string
  /** The variables that hold the key and another base URL. */
  readonly keyEnv: string
  readonly baseEnv: string
  /** A model, for help and errors. */
  readonly example: string
}

/** A server that people run on their own machine: it needs no key, and its calls cost nothing. */
interface Local {
  readonly kind: ProviderKind
  readonly title: string
  /** The default port; an entry of the user may override it. */
  readonly port: number
  /** The variable that names the server's host. */
  readonly baseEnv?: string
}

export const hostedProviders = {
  anthropic: {
    kind: 'anthropic',
    baseURL: 'https://api.anthropic.com/v1',
    keyEnv: 'ANTHROPIC_API_KEY',
    baseEnv: 'ANTHROPIC_BASE_URL',
    example: 'claude-sonnet-5',
  },
  openai: {
    kind: 'openai',
    baseURL: 'https://api.openai.com/v1',
    keyEnv: 'OPENAI_API_KEY',
    baseEnv: 'OPENAI_BASE_URL',
    example: 'gpt-5.6',
  },
  google: {
    kind: 'google',
    baseURL: 'https://generativelanguage.googleapis.com/v1beta',
    keyEnv: 'GOOGLE_GENERATIVE_AI_API_KEY',
    baseEnv: 'GOOGLE_GENERATIVE_AI_BASE_URL',
    example: 'gemini-3.8-flash',
  },
} as const satisfies Readonly<Record<string, ProviderWithHost>>

export const localProviders = {
  ollama: { kind: 'ollama', title: 'Ollama', port: 11434, baseEnv: 'OLLAMA_HOST' },
  lmstudio: { kind: 'openai-compatible', title: 'LM Studio', port: 1234 },
  llamacpp: { kind: 'openai-compatible', title: 'llama.cpp', port: 8080 },
  vllm: { kind: 'openai-compatible', title: 'vLLM', port: 8000 },
} as const satisfies Readonly<Record<string, Local>>

export type HostedProvider = keyof typeof hostedProviders
export type LocalProvider = keyof typeof localProviders

/** The provider that plays a recording. */
export const replayProvider = 'replay'
/** The prefix of the name of a foreign agent, which has a provider of its own. */
export const agentProvider = 'agent'

export function isHosted(name: string): name is HostedProvider {
  return Object.hasOwn(hostedProviders, name)
}

export function isLocal(name: string): name is LocalProvider {
  return Object.hasOwn(localProviders, name)
}

export const hostedNames = Object.keys(hostedProviders) as readonly HostedProvider[]
export const localNames = Object.keys(localProviders) as readonly LocalProvider[]

/** The variables that hold the keys of hosted providers. */
export const keyVariables: readonly string[] = Object.values(hostedProviders).map(({ keyEnv }) => keyEnv)

/** The variables that name a proxy by kind of URL, and the hosts without one; the first wins. */
export const proxyVariables = {
  secure: ['https_proxy', 'HTTPS_PROXY'],
  plain: ['http_proxy', 'HTTP_PROXY'],
  except: ['no_proxy', 'NO_PROXY'],
} as const

/** The variables that name a base URL. */
export const baseVariables: readonly string[] = [
  ...Object.values(hostedProviders),
  ...Object.values(localProviders),
].flatMap((provider) => ('baseEnv' in provider ? [provider.baseEnv] : []))
