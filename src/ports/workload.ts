/** Present and past work, over all Runs of a state. */
export interface Workload {
  readonly machines: readonly { readonly kind: string; readonly state: string; readonly count: number }[]
  /** Steps that are queued, now or for later. `first` is the earliest start. */
  readonly steps: readonly { readonly kind: string; readonly count: number; readonly first: string }[]
  readonly calls: readonly {
    readonly model: string
    readonly agent: string
    readonly count: number
    readonly failed: number
    readonly inputTokens: number
    readonly outputTokens: number
    /** Millionths of a dollar, of calls with a known price. */
    readonly microUsd: number
  }[]
}

/**
 * Spending in equal spans, from `from` to `to` or to the end of the last call if that is later.
 * There are at most as many spans as calls. `ends` is the end of each span, `used` its non-zero
 * use. A call belongs to the span in which it ended.
 */
export interface SpendingOver {
  readonly ends: readonly Date[]
  readonly used: readonly {
    readonly span: number
    /** `architect`, `editor` or `scout`. */
    readonly agent: string
    readonly microUsd: number
    readonly tokens: number
  }[]
}
