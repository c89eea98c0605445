import type { ToldError } from './told-error.ts'

/** The connection ended in the middle of a reply. */
export class ReplyCut extends Error {
  constructor() {
    super('the stream ended before the reply was complete')
  }
}

/** The provider answered with an error, or ended its reply with one. */
export class ProviderFailure extends Error {
  readonly told: ToldError
  /** Null for an error inside an answer with a successful status. */
  readonly refusal: { readonly status: number; readonly headers: ReadonlyMap<string, string> } | null
  /** True if the error came in place of a reply, with no part of a reply in front of it. */
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

/** A successful answer with neither a reply nor an error message. */
export class EmptyAnswer extends ProviderFailure {
  constructor() {
    super({ message: 'the answer is empty', status: undefined, words: '', isPage: false }, {})
  }
}
