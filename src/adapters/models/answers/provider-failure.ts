import type { ToldError } from './told-error.ts'

/** A reply that has begun came to no end. */
export class ReplyCut extends Error {
  constructor() {
    super('the stream ended before the reply was complete')
  }
}

/** The provider's answer is an error, or its reply ends with one. */
export class ProviderFailure extends Error {
  readonly told: ToldError
  /** Null for an error inside an answer whose status is good. */
  readonly refusal: { readonly status: number; readonly headers: ReadonlyMap<string, string> } | null
  /** It came in the place of a reply, of which nothing was said. */
  readonly isWhole: boolean

  constructor(
    told: ToldError,
    { refusal = null, isWhole = true }: Partial<Pick<ProviderFailure, 'refusal' | 'isWhole'>>,
  ) {
    super(told.message)
    this.told = told
    this.refusal = refusal
    this.isWhole = isWhole
  }
}

/** An answer with a good status that has nothing of a reply, and no words instead. */
export class EmptyAnswer extends ProviderFailure {
  constructor() {
    super({ message: 'the answer is empty', status: undefined, words: '', isPage: false }, {})
  }
}
