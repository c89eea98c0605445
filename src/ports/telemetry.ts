/** What a span or a point of a metric says about itself. */
export type Attributes = Readonly<Record<string, Attribute>>

/** A number alone is an integer. */
export type Attribute = string | number | { readonly double: number } | readonly string[]

/** Work that has ended. Its ids are derived from stored rows: the same work has the same ids. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  /** null for the span of a Run. */
  readonly parentSpanId: string | null
  readonly name: string
  /** `client`: the work was done by another system. */
  readonly kind: 'internal' | 'client'
  readonly start: Date
  readonly end: Date
  readonly attributes: Attributes
  readonly failed: boolean
}

/** Values from `start` to `at`, all of them: a later point takes the place of an earlier one. */
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
  /** One more than there are bounds; empty for a sum. */
  readonly buckets: readonly number[]
}

/** What is told of one Run. */
export interface Told<What> {
  readonly run: string
  readonly items: readonly What[]
}

/**
 * What became of what was sent. `taken` with `rejected`: the collector takes it, except so many
 * items. `refused`: it will never take this. `later`: it, or the way to it, is out.
 */
export type Sent =
  | { readonly result: 'taken'; readonly rejected: number; readonly problem: string | null }
  | { readonly result: 'refused'; readonly problem: string }
  | { readonly result: 'later'; readonly problem: string; readonly afterMs: number | null }

/**
 * Receives spans and metrics. Never rejects, and ends soon after the signal is aborted. A `problem`
 * has nothing of what was sent, and only the origin of an address.
 */
export interface Collector {
  spans(told: readonly Told<Span>[], signal: AbortSignal): Promise<Sent>
  metrics(told: readonly Told<Metric>[], signal: AbortSignal): Promise<Sent>
}

/** How far the event log was exported. */
export interface Exported {
  /** The last event whose spans a collector has. */
  readonly event: number
  /** Runs whose metrics are due. */
  readonly owed: readonly string[]
  /** Spans that collectors have refused for good. */
  readonly rejected: number
  /** Why nothing can be sent at present, or what was refused last. */
  readonly problem: string | null
}

/** Keeps how far the event log was exported, over the end of a process. */
export interface ExportCursor {
  /** null when nothing was ever exported. */
  read(): Promise<Exported | null>
  write(exported: Exported): Promise<void>
}

/** Traces and metrics on their way out of this machine. */
export interface Telemetry {
  /** Where they go, without anything that may be a key; null when nothing is configured. */
  readonly to: string | null
  /** Whether what tools were told and said goes with them. */
  readonly content: boolean
  /** Milliseconds from a commit to its export. */
  readonly delayMs: number
  readonly collector: Collector
  readonly cursor: ExportCursor
  /** The texts that a collector would be sent, one for traces and one for metrics. */
  texts(spans: readonly Told<Span>[], metrics: readonly Told<Metric>[]): readonly string[]
}
