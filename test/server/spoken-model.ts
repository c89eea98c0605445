import type { JsonObject } from '../../src/domain/json.ts'
import type { Hear, Model, ModelError, ModelReply, ModelRequest } from '../../src/ports/model.ts'

/** Answers a call: `play` returns the replay's turn, or the turn with another number. */
export type Speak = (
  request: ModelRequest,
  hear: Hear,
  play: (turn?: number) => Promise<ModelReply>,
) => Promise<ModelReply>

/** A model that streams its words, waits, or fails, as the test decides. */
export function spokenModel(model: Model, speak: Speak, contextWindow?: number): Model {
  return {
    ...model,
    ...(contextWindow !== undefined && { contextWindow: async () => contextWindow }),
    reply: (request, signal, hear = () => {}) =>
      speak(request, hear, (turn = request.turn) => model.reply({ ...request, turn }, signal)),
  }
}

/** A reply with one tool call. */
export const calling = (tool: string, input: JsonObject): ModelReply => ({
  stop: 'calls',
  text: '',
  raw: null,
  usage: null,
  calls: [{ id: `call_${tool}`, tool, input }],
})

export const failed = (
  error: Pick<ModelError, 'kind' | 'message' | 'retryable'> & Partial<ModelError>,
): ModelReply => ({
  stop: 'error',
  usage: null,
  error: { retryAfterMs: null, ...error },
})
