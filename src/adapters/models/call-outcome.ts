import type { Usage } from '../../domain/lane/message.ts'
import type { ModelError } from '../../ports/model.ts'
import type { CallOutcome } from './gate.ts'

/** The meaning of a call's result for its provider. */
export function outcomeOf({
  error,
  usage,
}: {
  readonly error: ModelError | null
  readonly usage: Usage | null
}): CallOutcome {
  // An unusable answer still shows that the provider answers, and waiting would not improve it.
  if (error?.retryable && error.came !== 'unusable') {
    const { kind, message, retryAfterMs } = error
    const crowded = kind === 'rate_limited' || kind === 'overloaded' || kind === 'timeout'
    return { type: 'failed', reason: message, retryAfterMs, crowded }
  }
  return { type: 'answered', tokens: usage ? usage.input - usage.cacheRead + usage.output : 0 }
}
