import type { JsonObject } from '../../../domain/json.ts'
import { EmptyAnswer, ProviderFailure } from './provider-failure.ts'
import { readParts } from './read-parts.ts'
import { errorIn, type ToldError, wordsIn } from './told-error.ts'

/** Reads a reply along while its bytes pass, for the models of Drydock and for the gateway. */
export interface ReplyReader {
  take(bytes: Uint8Array): void
  end(): void
  /** The error in the place of the reply, or of its rest: nothing of a reply follows it. */
  failure(): ProviderFailure | null
}

/** `onPart` gets each part of the reply itself. */
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
    // Google's stream is one list where no events are asked for.
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
