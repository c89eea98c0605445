import type { Answer } from '../../http/transport.ts'
import type { Hear, Model, ModelReply, ModelRequest } from '../../ports/model.ts'
import { outcomeOf } from './call-outcome.ts'
import type { Closed, Gate } from './gate.ts'

/** Is told how a call goes, beside its reply. */
export interface CallProgress {
  /** The provider has begun to answer. */
  answered(headers: Answer['headers']): void
  /** The call has ended, and nothing of it was sent. */
  unsent(): void
}

/** A model that sends each call at once. One that knows no progress is a `Model` as well. */
export interface UngatedModel extends Omit<Model, 'reply'> {
  reply(request: ModelRequest, signal: AbortSignal, hear: Hear | undefined, progress: CallProgress): Promise<ModelReply>
}

/**
 * The model behind the gate of its provider: each call waits for the turn of its Run, and none is
 * made while the provider answers nobody.
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

/** Nothing was sent. */
function suspended({ reason, ms }: Closed): ModelReply {
  const error = { kind: 'suspended', message: reason, retryable: true, retryAfterMs: ms } as const
  return { stop: 'error', error, usage: null }
}

function duringOutage(reply: ModelReply, { ms }: Closed): ModelReply {
  if (reply.stop !== 'error' || !reply.error.retryable) return reply
  return { ...reply, error: { ...reply.error, retryAfterMs: ms, outage: true } }
}
