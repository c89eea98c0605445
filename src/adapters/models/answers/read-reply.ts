import type { JsonObject } from '../../../domain/json.ts'
import { EmptyAnswer, ProviderFailure } from './provider-failure.ts'
import { readParts } from './read-parts.ts'
import { errorIn, type ToldError, wordsIn } from './told-error.ts'

/** Parses a reply while its bytes pass through, for Drydock's own models and for the gateway. */
export interface ReplyReader {
  take(bytes: Uint8Array): void
  end(): void
  /** The error that replaced the reply or cut it off; no part of a reply follows it. */
  failure(): ProviderFailure | null
}

/** `onPart` gets each part of the reply. */
export function readReply(onPart: (part: JsonObject) => void): ReplyReader {
  let failure: ProviderFailure | null = null
  let hasBegun = false
  let instead: ToldError | null = null
  const parts = readParts((part) => {
    if (failure !== null) return
    const told = errorIn(part)
    if (told !== null) failure = new ProviderFailure(told, { isWhole: !hasBegun })
    const words = wordsIn(part)
    instead ??= words
    if (told !== null || words !== null) return
    // Google streams one JSON list unless events are requested.
    for (const each of Array.isArray(part.json) ? part.json : [part.json]) take(each as JsonObject | null)
  })

  function take(part: JsonObject | null): void {
    if (typeof part !== 'object' || part === null) return
    hasBegun = true
    onPart(part)
  }

  return {
    take: parts.take,
    end() {
      const { isCut } = parts.end()
      if (hasBegun || isCut) return
      failure ??= instead === null ? new EmptyAnswer() : new ProviderFailure(instead, {})
    },
    failure: () => failure,
  }
}
