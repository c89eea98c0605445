import { isLoopback } from '../../domain/loopback.ts'
import type { ModelError } from '../../ports/model.ts'
import type { Endpoint } from './endpoint.ts'
import { toolRemedy } from './trial/tool-remedy.ts'

const resume = 'then run: drydock resume'

/** Adds to a failure what a person can do about it, if that depends on the provider's settings. */
export function withAdvice(error: ModelError, endpoint: Endpoint): ModelError {
  const isThere = error.kind !== 'network' && error.kind !== 'timeout'
  const todo = error.unreachable ? reach(endpoint, isThere) : remedyOf(error, endpoint)
  return todo === null ? error : { ...error, todo }
}

function remedyOf({ kind }: ModelError, endpoint: Endpoint): string | null {
  if (kind === 'auth') return giveKey(endpoint)
  return kind === 'no_tools' ? toolRemedy(endpoint, null) : null
}

function giveKey({ provider, keyEnv }: Endpoint): string {
  if (keyEnv !== null) return `Put a valid key into ${keyEnv}, ${resume}`
  return `Name the variable that holds its key as "apiKeyEnv" of providers.${provider} in your config.json, ${resume}`
}

/** The base URL contains no password, since such a URL is refused earlier. */
function reach({ provider, kind, baseURL, baseEnv, proxy }: Endpoint, isThere: boolean): string {
  const where = baseEnv === null ? `"baseURL" of providers.${provider} in your config.json` : baseEnv
  if (isThere)
    return `Correct the base URL ${baseURL} (${where}): what answers there is no model API. Then run: drydock resume`
  if (kind === 'ollama') return `Start it with \`ollama serve\`, or correct ${where} (it is ${baseURL}), ${resume}`
  const { hostname } = new URL(baseURL)
  if (isLoopback(hostname)) return `Start the server at ${baseURL}, or correct ${where}, ${resume}`
  const way = proxy === null ? '' : `, the proxy in ${proxy.variable},`
  return `Check your network${way} and the base URL ${baseURL} (${where}), ${resume}`
}
