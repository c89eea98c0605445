/** The attributes of a span or of a point of a metric. */
export type Attributes = Readonly<Record<string, Attribute>>

/** A plain number is an integer. */
export type Attribute = string | number | { readonly double: number } | readonly string[]

/** Finished work. Ids are derived from stored rows, so the same work always has the same ids. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  /** null for the span of a Run. */
  readonly parentSpanId: string | null
  readonly name: string
  /** `client`: another system did the work. */
  readonly kind: 'internal' | 'client'
  readonly start: Date
  readonly end: Date
  readonly attributes: Attributes
  readonly failed: boolean
}

/** Cumulative values from `start` to `at`: a later point replaces an earlier one. */
export interface Metric {
  readonly name: string
  readonly unit: string
  readonly description: string
  readonly start: Date
  readonly at: Date
  readonly points: readonly Point[]
  /** Upper bounds of the buckets of a histogram; null for a sum. */
  readonly bounds: readonly number[] | null
}

export interface Point {
  readonly attributes: Attributes
  readonly count: number
  readonly sum: number
  /** Counts per bucket, one more than there are bounds; empty for a sum. */
  readonly buckets: readonly number[]
}

/** Items about one Run. */
export interface RunItems<What> {
  readonly run: string
  readonly items: readonly What[]
}

/**
 * The result of sending. `taken` with `rejected`: the collector accepts all but this many items.
 * `refused`: the collector will never accept the request. `later`: the collector is unreachable or
 * overloaded.
 */
export type SendResult =
  | { readonly result: 'taken'; readonly rejected: number; readonly problem: string | null }
  | { readonly result: 'refused'; readonly problem: string }
  | { readonly result: 'later'; readonly problem: string; readonly afterMs: number | null }

/**
 * Receives spans and metrics. Never rejects, and ends soon after the signal is aborted. A `problem`
 * contains nothing of the sent data, and only the origin of an address.
 */
export interface Collector {
  spans(told: readonly RunItems<Span>[], signal: AbortSignal): Promise<SendResult>
  metrics(told: readonly RunItems<Metric>[], signal: AbortSignal): Promise<SendResult>
}

/** The progress of the event log's export. */
export interface ExportProgress {
  /** The last event whose spans a collector has. */
  readonly event: number
  /** Runs whose metrics are due. */
  readonly owed: readonly string[]
  /** Spans that collectors have refused for good. */
  readonly rejected: number
  /** The reason why nothing can be sent at present, or the last refusal. */
  readonly problem: string | null
}

/** Persists the progress of the export. */
export interface ExportCursor {
  /** Null if nothing was ever exported. */
  read(): Promise<ExportProgress | null>
  write(exported: ExportProgress): Promise<void>
}

/** The export of traces and metrics from this machine. */
export interface Telemetry {
  /** The destination, without parts that may be a key; null without one. */
  readonly to: string | null
  /** True if the inputs and outputs of tools are exported, too. */
  readonly content: boolean
  /** Milliseconds from a commit to its export. */
  readonly delayMs: number
  readonly collector: Collector
  readonly cursor: ExportCursor
  /** The bodies that a collector would receive, one for traces and one for metrics. */
  texts(spans: readonly RunItems<Span>[], metrics: readonly RunItems<Metric>[]): readonly string[]
}
