import { DrydockError } from '../../domain/drydock-error.ts'
import type { Effort } from '../../domain/model-name.ts'
import {
  hostedProviders,
  isHosted,
  isLocal,
  type LocalProvider,
  localProviders,
  type ownKinds,
  type Protocol,
  type ProviderKind,
  protocols,
  replayProvider,
} from '../../domain/providers.ts'
import { secretHeaders } from '../../domain/secrets/secret-headers.ts'
import { type HttpProxy, proxyFor, secretsOfProxy } from '../../http/proxy.ts'
import { type ProviderSettings, type RequestSettings, settingsOf } from './model-settings.ts'

/**
 * An entry of `providers` in the user's configuration. Without `apiKeyEnv` no key is sent. An entry
 * for a known provider may omit `baseURL`.
 */
export type ProviderConfig = ProviderSettings &
  (
    | {
        readonly kind: (typeof ownKinds)[number]
        readonly baseURL?: string
        readonly apiKeyEnv?: string
      }
    | {
        readonly kind: 'ollama'
        /** Defaults to the server that `OLLAMA_HOST` names. */
        readonly baseURL?: string
        readonly apiKeyEnv?: string
        /** The context size in tokens to request. */
        readonly num_ctx?: number
      }
  )

export type Providers = Readonly<Record<string, ProviderConfig>>
export type Environment = Readonly<Record<string, string | undefined>>

/** The address of a model, and how to talk to it. */
export interface Endpoint {
  /** The provider's name in the model id. */
  readonly provider: string
  readonly kind: ProviderKind
  readonly model: string
  /** The base URL, without a slash at the end. */
  readonly baseURL: string
  readonly apiKey: string | null
  /** The variables with its key and its base URL; null if there is none. */
  readonly keyEnv: string | null
  readonly baseEnv: string | null
  /**
   * Only for Ollama: the context size in tokens that the user wants; null for the model's own size,
   * up to a limit.
   */
  readonly numCtx: number | null
  readonly settings: RequestSettings
  readonly proxy: HttpProxy | null
}

export interface EndpointSource {
  readonly providers: Providers
  readonly env: Environment
  /** The effort of the role that uses the model, which overrides the provider's. */
  readonly effort?: Effort | null
}

/** Finds a provider and reads its key. Throws DrydockError `bad_model` or `no_key`. */
export function resolveEndpoint(name: string, model: string, from: EndpointSource): Endpoint {
  const endpoint = reachedAt(name, model, from)
  return { ...endpoint, proxy: proxyFor(endpoint.baseURL, from.env, 'bad_model') }
}

function reachedAt(name: string, model: string, from: EndpointSource): Omit<Endpoint, 'proxy'> {
  const configured = Object.hasOwn(from.providers, name) ? from.providers[name] : undefined
  const settings = settingsOf(configured ?? {}, { provider: name, model, effort: from.effort ?? null }, from.env)
  if (isHosted(name)) {
    if (configured && (configured.kind !== name || configured.baseURL || configured.apiKeyEnv)) {
      throw new DrydockError('bad_model', `The provider name ${name} is built in.`, {
        todo: `Give the entry "${name}" under "providers" another name.`,
      })
    }
    const { kind, keyEnv, baseEnv, baseURL } = hostedProviders[name]
    return {
      provider: name,
      kind,
      model,
      baseURL: baseUrlOf(name, { kind, baseURL: from.env[baseEnv] || baseURL }),
      apiKey: keyFrom(from.env, keyEnv, name),
      keyEnv,
      baseEnv,
      numCtx: null,
      settings,
    }
  }
  const config = isLocal(name) ? { ...localConfig(name), ...configured } : configured
  if (config?.kind === 'ollama') return ollamaEndpoint({ name, model, config, env: from.env, settings })
  if (!config) throw unknownProvider(name, from.providers)
  const { kind, apiKeyEnv, baseURL = '' } = config
  return {
    provider: name,
    kind,
    model,
    baseURL: baseUrlOf(name, { kind, baseURL }),
    apiKey: apiKeyEnv === undefined ? null : keyFrom(from.env, apiKeyEnv, name),
    keyEnv: apiKeyEnv ?? null,
    baseEnv: null,
    numCtx: null,
    settings,
  }
}

/** Secret values that no message about an endpoint may show. */
export function secretsOf({ apiKey, settings, proxy }: Endpoint): readonly string[] {
  return [apiKey ?? [], secretHeaders(settings.headers), secretsOfProxy(proxy)].flat()
}

interface OllamaSource {
  readonly name: string
  readonly model: string
  readonly config: Extract<ProviderConfig, { kind: 'ollama' }>
  readonly env: Environment
  readonly settings: RequestSettings
}

/** The endpoint of an Ollama server. The server needs no key, but a proxy in front of it may. */
function ollamaEndpoint({ name, model, config, env, settings }: OllamaSource): Omit<Endpoint, 'proxy'> {
  const { kind, apiKeyEnv, baseURL, num_ctx: numCtx = null } = config
  return {
    provider: name,
    kind,
    model,
    baseURL: baseUrlOf(name, { kind, baseURL: baseURL ?? ollamaHost(env[localProviders.ollama.baseEnv] ?? '') }),
    apiKey: apiKeyEnv === undefined ? null : keyFrom(env, apiKeyEnv, name),
    keyEnv: apiKeyEnv ?? null,
    baseEnv: baseURL === undefined ? localProviders.ollama.baseEnv : null,
    numCtx,
    settings,
  }
}

/**
 * Parses `OLLAMA_HOST` as Ollama does: host, port and scheme are each optional, and the wildcard
 * address means this machine.
 */
export function ollamaHost(value: string): string {
  const [, scheme, rest = ''] = /^(https?:\/\/)?(.*)$/i.exec(value.trim().replace(/^["']|["']$/g, '')) ?? []
  const named = rest.startsWith(':') ? `127.0.0.1${rest}` : rest || '127.0.0.1'
  const host = named.replace(/^(0\.0\.0\.0|\[::\])(?=[:/]|$)/, '127.0.0.1')
  if (scheme) return `${scheme}${host}`
  const [authority = '', ...path] = host.split('/')
  const withPort = /:\d+$/.test(authority) ? authority : `${authority}:${localProviders.ollama.port}`
  return `http://${[withPort, ...path].join('/')}`
}

/** A local server at its default address. */
function localConfig(name: LocalProvider): ProviderConfig {
  const { kind, port } = localProviders[name]
  return kind === 'ollama' ? { kind } : { kind, baseURL: `http://127.0.0.1:${port}/v1` }
}

function unknownProvider(name: string, providers: Providers): DrydockError {
  const names = [
    ...Object.keys(hostedProviders),
    ...Object.keys(localProviders),
    replayProvider,
    ...Object.keys(providers),
  ]
  const known = [...new Set(names)].join(', ')
  return new DrydockError('bad_model', `There is no model provider named "${name}". The known ones are ${known}.`, {
    todo: 'Use one of them, or add it under "providers" in your own config.json.',
  })
}

function keyFrom(env: Environment, variable: string, provider: string): string {
  const key = env[variable]?.trim()
  if (key) return key
  throw new DrydockError('no_key', `${variable} is not set. The provider ${provider} needs it.`, {
    todo: `export ${variable}=…`,
  })
}

/**
 * Checks the base URL of a provider. Errors never quote the URL, since it may contain a password.
 */
function baseUrlOf(provider: string, from: { kind: Endpoint['kind']; baseURL: string }): string {
  const url = URL.parse(from.baseURL)
  const usable = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash
  if (!usable) {
    throw new DrydockError('bad_model', `The base URL of the provider ${provider} cannot be used.`, {
      todo: 'Give an http or https URL without a user name, password, query or fragment.',
    })
  }
  const protocol: Protocol = protocols[from.kind]
  const { endsWith = '', without = null } = protocol.base ?? {}
  const given = url.href.replace(/\/+$/, '')
  const base = without === null ? given : given.replace(without, '')
  return base.endsWith(endsWith) ? base : `${base}${endsWith}`
}
