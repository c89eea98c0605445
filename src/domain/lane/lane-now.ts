/** What one lane does at this moment; texts hold no secrets. Times are ISO 8601. */
export interface LaneNow {
  /** Id of the machine. */
  readonly id: string
  readonly run: string
  readonly story: string | null
  /** Its key, as `editor/parser/CODING`. */
  readonly lane: string
  /** `architect`, `editor` or `scout`. */
  readonly agent: string
  /** The call of its model that is under way. */
  readonly asking: {
    readonly since: string
    readonly model: string
    /** `thought` while it thinks, then what it says; `call` while it writes a call. */
    readonly kind: 'waiting' | 'thought' | 'text' | 'call'
    /** Characters that have come, also those of calls. */
    readonly chars: number
    /** The tool whose call it writes. */
    readonly tool: string | null
  } | null
  /**
   * The last of what its model says, or of its thoughts before it says anything; between two calls
   * that of the one before.
   */
  readonly said: string
  /** Calls of tools that are under way. */
  readonly tools: readonly { readonly line: string; readonly since: string }[]
  /** Tokens of the last request, about, and those that it and its reply may have together. */
  readonly context: { readonly tokens: number; readonly window: number | null } | null
  /** Dollars a minute over the last minutes; null while no price is known. */
  readonly usdPerMinute: number | null
}
