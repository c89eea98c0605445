import { limits } from '../../domain/limits.ts'
import { isLoopback } from '../../domain/loopback.ts'
import type { Endpoint } from './endpoint.ts'
import { defaultTimeouts, type Timeouts } from './exchange.ts'

const patience: Timeouts = {
  firstByteMs: limits.localFirstByteSec * 1_000,
  idleMs: limits.localIdleSec * 1_000,
  totalMs: limits.localTotalSec * 1_000,
}

/**
 * The timeouts of a provider, including those that the user sets. A local server loads the model at
 * the first request, reads a long prompt for minutes, and may take longer than any provider to
 * write a long reply.
 */
export function timeoutsOf({ kind, baseURL }: Endpoint, own: Partial<Timeouts> = {}): Timeouts {
  const isHere = isLoopback(new URL(baseURL).hostname)
  return { ...(isHere || kind === 'ollama' ? patience : defaultTimeouts), ...own }
}
