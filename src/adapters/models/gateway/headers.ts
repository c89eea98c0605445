import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { type Protocol, protocols } from '../../../domain/providers.ts'
import type { Redact } from '../../../domain/secrets/redact.ts'
import type { Answer } from '../../../http/transport.ts'
import { type Endpoint, secretsOf } from '../endpoint.ts'
import { createSecretFilter } from './without-secrets.ts'

/**
 * Headers of an agent that are passed to the provider: the format of the answer, the features that
 * it uses, and its user agent. Never a key, an account or a project.
 */
const passedOn =
  /^(accept|user-agent|anthropic-(version|beta|dangerous-direct-browser-access)|openai-beta|x-stainless-[a-z-]+|x-app|x-goog-api-client|originator|version|session[_-]id|conversation[_-]id|thread[_-]id|x-client-request-id|http-referer|x-title)$/

/** Headers that concern one connection, or the provider and a browser. */
const ofTheWay = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'set-cookie',
  'location',
  'alt-svc',
  'clear-site-data',
])

/**
 * The headers of the request to the provider, with its key. They ask for an uncompressed answer.
 */
export function sentHeaders(agent: IncomingHttpHeaders, endpoint: Endpoint, redact: Redact): Record<string, string> {
  const protocol: Protocol = protocols[endpoint.kind]
  const own = Object.entries(agent).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && passedOn.test(name) ? [[name, redact(value)]] : [],
  )
  return {
    ...(endpoint.apiKey !== null && protocol.keyHeaders(endpoint.apiKey)),
    ...Object.fromEntries(own),
    // The gateway parsed the body as JSON, so the provider must do the same.
    'content-type': 'application/json',
    ...endpoint.settings.headers,
    'accept-encoding': 'identity',
  }
}

/** The headers of the answer to the agent. */
export function returnedHeaders(answer: Answer['headers'], endpoint: Endpoint): OutgoingHttpHeaders {
  const named = (answer.get('connection') ?? '').toLowerCase().split(/\s*,\s*/)
  return Object.fromEntries(
    [...answer]
      .filter(([name]) => !ofTheWay.has(name) && !named.includes(name))
      .map(([name, value]) => [name, withoutSecrets(value, endpoint)]),
  )
}

function withoutSecrets(value: string, endpoint: Endpoint): string {
  const filter = createSecretFilter(secretsOf(endpoint))
  const bytes = Buffer.from(value, 'latin1')
  return Buffer.concat([filter.take(bytes), filter.rest()]).toString('latin1')
}
