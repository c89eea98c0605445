import type { Answer } from '../../http/transport.ts'
import type { Hear, Model, ModelReply, ModelRequest } from '../../ports/model.ts'
import { outcomeOf } from './call-outcome.ts'
import type { Closure, Gate } from './gate.ts'

/** Receives the progress of a call, separate from its reply. */
export interface CallProgress {
  /** The provider has begun to answer. */
  answered(headers: Answer['headers']): void
  /** The call has ended before its request was sent. */
  unsent(): void
}

/** A model that sends each call immediately. One that ignores progress is also a `Model`. */
export interface UngatedModel extends Omit<Model, 'reply'> {
  reply(request: ModelRequest, signal: AbortSignal, hear: Hear | undefined, progress: CallProgress): Promise<ModelReply>
}

/**
 * A model behind its provider's gate: each call waits for its Run's turn, and none is made while
 * the provider does not answer.
 */
export function gatedModel(model: UngatedModel, gate: Gate): Model {
  return {
    ...model,
    async reply(request, signal, hear) {
      const entry = await gate.enter(request.run, signal)
      if (entry.type === 'closed') return suspended(entry)
      let isUnsent = false
      const unsent = () => {
        isUnsent = true
      }
      const reply = await model.reply(request, signal, hear, { answered: entry.learn, unsent })
      const error = reply.stop === 'error' ? reply.error : null
      const closed = entry.leave(
        signal.aborted || isUnsent ? { type: 'nothing' } : outcomeOf({ error, usage: reply.usage }),
      )
      return closed === null ? reply : duringOutage(reply, closed)
    },
  }
}

/** The reply for a call that was not sent. */
function suspended({ reason, ms }: Closure): ModelReply {
  const error = { kind: 'suspended', message: reason, retryable: true, retryAfterMs: ms } as const
  return { stop: 'error', error, usage: null }
}

function duringOutage(reply: ModelReply, { ms }: Closure): ModelReply {
  if (reply.stop !== 'error' || !reply.error.retryable) return reply
  return { ...reply, error: { ...reply.error, retryAfterMs: ms, outage: true } }
}
