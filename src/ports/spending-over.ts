/**
 * Spending in equal spans, from `from` to `to` or to the end of the last call if that is later.
 * There are at most as many spans as calls. `ends` is the end of each span, `used` its use where
 * there was any. A call belongs to the span in which it ended.
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
