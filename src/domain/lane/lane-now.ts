/** The present activity of one lane; texts hold no secrets. Times are ISO 8601. */
export interface LaneNow {
  /** Id of the machine. */
  readonly id: string
  readonly run: string
  readonly story: string | null
  /** Key of the lane, as `editor/parser/CODING`. */
  readonly lane: string
  /** `architect`, `editor` or `scout`. */
  readonly agent: string
  /** The model call in progress. */
  readonly asking: {
    readonly since: string
    readonly model: string
    /** `thought` while the model thinks, then `text`; `call` while it writes a call. */
    readonly kind: 'waiting' | 'thought' | 'text' | 'call'
    /** Characters received, including those of calls. */
    readonly chars: number
    /** The tool whose call the model is writing. */
    readonly tool: string | null
  } | null
  /**
   * The end of the model's text, or of its thoughts before any text; between two calls, that of the
   * earlier one.
   */
  readonly said: string
  /** Tool calls in progress. */
  readonly tools: readonly { readonly line: string; readonly since: string }[]
  /** Estimated tokens of the last request, and the most for a request with its reply. */
  readonly context: { readonly tokens: number; readonly window: number | null } | null
  /** Dollars per minute over the last minutes; null without a known price. */
  readonly usdPerMinute: number | null
}
