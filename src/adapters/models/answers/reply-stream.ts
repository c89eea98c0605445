import type { ProviderKind } from '../../../domain/providers.ts'
import type { Answer } from '../../../http/transport.ts'
import type { Exchange } from '../exchange.ts'
import { asStreamed } from './as-streamed.ts'
import { ProviderFailure } from './provider-failure.ts'
import { readReply } from './read-reply.ts'
import { refusalIn } from './told-error.ts'

type Refusal = Pick<Answer<AsyncIterable<Uint8Array>>, 'status' | 'headers' | 'body'>

/** The answers of an exchange in the form that the SDK reads. */
export interface SdkAnswers {
  /** Rejects with a ProviderFailure if the provider refuses. */
  readonly fetch: Exchange['fetch']
  /** The provider's error in place of a reply or of its rest. */
  readonly failure: () => ProviderFailure | null
}

/**
 * The SDK hides a provider's error message when an answer has an unexpected form. Messages are
 * therefore read here, before the SDK sees the answer.
 */
export function createSdkAnswers(exchange: Exchange, kind: ProviderKind): SdkAnswers {
  let failure: ProviderFailure | null = null
  const fail = (told: ProviderFailure) => {
    failure = told
  }

  const fetch: Exchange['fetch'] = async (url, init) => {
    const answer = await exchange.fetch(url, init)
    // Ollama's reply is not an event stream; `ollama.ts` reads it.
    if (kind === 'ollama') return answer
    if (!answer.ok) throw await refusalOf(answer)
    return { ...answer, body: answer.body.pipeThrough(replyEvents(kind, fail)) }
  }
  return { fetch, failure: () => failure }
}

/** Reads a refusal with its message. */
export async function refusalOf({ status, headers, body }: Refusal): Promise<ProviderFailure> {
  const pieces: Uint8Array[] = []
  // A partial message counts if the rest does not arrive.
  try {
    for await (const piece of body) pieces.push(piece)
  } catch {}
  const said = Buffer.concat(pieces).toString()
  return new ProviderFailure(refusalIn(said), { refusal: { status, headers } })
}

/** Passes on the events of a reply; the first error ends it. */
function replyEvents(
  kind: ProviderKind,
  fail: (failure: ProviderFailure) => void,
): TransformStream<Uint8Array, Uint8Array> {
  const encoder = new TextEncoder()
  let ready = ''
  const reader = readReply((part) => {
    for (const event of asStreamed(part, kind)) ready += `data: ${JSON.stringify(event)}\n\n`
  })

  function pass(controller: TransformStreamDefaultController<Uint8Array>): void {
    if (ready !== '') controller.enqueue(encoder.encode(ready))
    ready = ''
    const failure = reader.failure()
    if (failure === null) return
    fail(failure)
    controller.terminate()
  }

  return new TransformStream({
    transform(bytes, controller) {
      reader.take(bytes)
      pass(controller)
    },
    flush(controller) {
      reader.end()
      pass(controller)
    },
  })
}
