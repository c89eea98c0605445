import type { Message } from '../domain/lane/message.ts'
import type { Redact } from '../domain/secrets/redact.ts'
import { redactedData } from '../domain/secrets/redacted-data.ts'
import type { Model, ModelReply } from '../ports/model.ts'

/**
 * A model that never receives a secret, and whose replies contain none, even in the turn in which a
 * tool has read it. Only heard pieces are unredacted, since part of a secret has no recognizable
 * shape (`domain/secrets/redact-speech.ts`).
 */
export function redactedModel(model: Model, redact: Redact): Model {
  // Neither messages nor secrets ever change, so each message is redacted once.
  const clean = new WeakMap<Message, Message>()
  const cleaned = (message: Message): Message => {
    const known = clean.get(message) ?? withoutSecrets(message, redact)
    clean.set(message, known)
    return known
  }
  return {
    ...model,
    async reply(request, signal, hear) {
      const system = redact(request.system)
      const messages = request.messages.map(cleaned)
      return ofReply(await model.reply({ ...request, system, messages }, signal, hear), redact)
    },
  }
}

/**
 * Redacts a message. One without secrets is returned unchanged, so that requests of a lane stay
 * equal byte for byte.
 */
function withoutSecrets(message: Message, redact: Redact): Message {
  if (message.role !== 'assistant') return redactedData(message, redact)
  const { raw, ...said } = message
  const clean = redactedData(said, redact)
  return raw !== undefined && redactedData(raw, redact) === raw && clean === said ? message : clean
}

/**
 * The provider's own form may be signed, so it cannot be redacted. Without it the text and calls
 * are sent.
 */
function ofReply(reply: ModelReply, redact: Redact): ModelReply {
  if (reply.stop === 'error') return redactedData(reply, redact)
  const { raw, ...said } = reply
  const clean = redactedData(said, redact)
  return { ...clean, raw: raw !== null && clean === said && redactedData(raw, redact) === raw ? raw : null }
}
