import { limits } from '../../domain/limits.ts'
import { type Protocol, protocols } from '../../domain/providers.ts'
import { type Answer, createTransport } from '../../http/transport.ts'
import { boundedJson } from './bounded-json.ts'
import { type Endpoint, type Environment, type Providers, resolveEndpoint } from './endpoint.ts'

/** A provider's answer to the request for its models, which is free. */
export type ProviderAnswer = { readonly host: string } & (
  | { readonly answer: 'accepted' /** null when it has no list of them. */; readonly models: readonly string[] | null }
  | { readonly answer: 'key_refused'; readonly status: number }
  | { readonly answer: 'failed'; readonly why: string }
)

/**
 * Asks a provider for its models, with the key that calls would use. Throws DrydockError
 * `bad_model` or `no_key`.
 */
export async function askProvider(
  name: string,
  from: { readonly providers: Providers; readonly env: Environment },
): Promise<ProviderAnswer> {
  const endpoint = resolveEndpoint(name, '', from)
  const { host } = new URL(endpoint.baseURL)
  const signal = AbortSignal.timeout(limits.providerProbeMs)
  try {
    const key = endpoint.apiKey === null ? {} : protocols[endpoint.kind].keyHeaders(endpoint.apiKey)
    const ask = createTransport(endpoint.proxy)
    const response = await ask(`${endpoint.baseURL}${protocols[endpoint.kind].modelsPath}`, {
      headers: { ...key, ...endpoint.settings.headers },
      signal,
    })
    try {
      return { host, ...(await read(response, endpoint)) }
    } finally {
      // An unread body would keep the connection open, and so the process.
      response.body.destroy()
    }
  } catch (error) {
    return { host, answer: 'failed', why: signal.aborted ? tooLate : reasonOf(error, endpoint) }
  }
}

async function read(response: Answer, { kind }: Endpoint) {
  const { status } = response
  const { keyRefusals }: Protocol = protocols[kind]
  if (keyRefusals.includes(status)) return { answer: 'key_refused', status } as const
  if (status >= 500) return { answer: 'failed', why: `it answers ${status}` } as const
  const body: unknown = response.ok ? await boundedJson(response).catch(() => null) : null
  return { answer: 'accepted', models: modelsIn(body) } as const
}

/** Model names in the form used in model ids, from the list of any kind of provider. */
function modelsIn(body: unknown): readonly string[] | null {
  const { data, models } = (body ?? {}) as { readonly data?: unknown; readonly models?: unknown }
  const list = Array.isArray(data) ? data : models
  if (!Array.isArray(list)) return null
  return list.map((each) => String(each?.id ?? each?.name ?? '').replace(/^models\//, ''))
}

const tooLate = `it did not answer within ${limits.providerProbeMs / 1_000} s`

function reasonOf(error: unknown, { proxy }: Endpoint): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (proxy !== null)
    return `the connection failed${code === '' ? '' : ` (${code})`}, through the proxy in ${proxy.variable}`
  return reasons[code] ?? (code === '' ? 'the connection failed' : `the connection failed (${code})`)
}

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no host has this name',
  EAI_AGAIN: 'the name cannot be looked up; is this machine online?',
  ECONNREFUSED: 'nothing listens there',
}
