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
 * One entry of `providers` in the user's configuration. Without `apiKeyEnv` no key is sent. One of
 * a provider that is known may leave its `baseURL` out.
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
        /** Without it the server that `OLLAMA_HOST` names. */
        readonly baseURL?: string
        readonly apiKeyEnv?: string
        /** Tokens of context that are asked for. */
        readonly num_ctx?: number
      }
  )

export type Providers = Readonly<Record<string, ProviderConfig>>
export type Environment = Readonly<Record<string, string | undefined>>

/** Where a model is reached and how it is spoken to. */
export interface Endpoint {
  /** The name in the model id. */
  readonly provider: string
  readonly kind: ProviderKind
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
  readonly settings: RequestSettings
  readonly proxy: HttpProxy | null
}

export interface EndpointSource {
  readonly providers: Providers
  readonly env: Environment
  /** Of the role that uses the model; it wins over the provider's. */
  readonly effort?: Effort | null
}

/** Looks a provider up and reads its key; throws `bad_model` or `no_key`. */
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
      ...{ keyEnv, baseEnv },
      ...{ numCtx: null, settings },
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
    ...{ keyEnv: apiKeyEnv ?? null, baseEnv: null },
    ...{ numCtx: null, settings },
  }
}

/** Values that nothing may show which is said of an endpoint. */
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

/** No key is needed; a proxy in front of the server may want one. */
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
    ...{ numCtx, settings },
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
  const withPort = /:\d+$/.test(authority) ? authority : `${authority}:${localProviders.ollama.port}`
  return `http://${[withPort, ...path].join('/')}`
}

/** A local server where it listens by default. */
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

/** The URL itself is never quoted: it may hold a password. */
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
