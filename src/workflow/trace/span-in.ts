import type { Records } from '../../ports/store.ts'
import type { Span } from '../../ports/telemetry.ts'
import { spanIdOf, type TraceOf, traceIdOf } from './trace-ids.ts'

export interface Reading {
  readonly records: Records
  /** True to include texts of models and tools, capped. */
  readonly content: boolean
}

/** The trace of an event, and its start. */
export interface Place {
  readonly trace: TraceOf
  /** The events of the trace come after this one. */
  readonly after: number
}

interface SpanInput extends Omit<Span, 'traceId' | 'spanId' | 'parentSpanId'> {
  readonly id: readonly (string | number)[]
  /** The parent within its trace; null for the Run itself. */
  readonly parent: readonly (string | number)[] | null
}

export const ofRun = ['run'] as const
export const ofLane = (lane: string) => ['lane', lane] as const

export function spanIn(trace: TraceOf, { id, parent, ...span }: SpanInput): Span {
  const ids = {
    traceId: traceIdOf(trace),
    spanId: spanIdOf(trace, ...id),
    parentSpanId: parent && spanIdOf(trace, ...parent),
  }
  return { ...ids, ...span }
}

export const storyOf = ({ story }: { readonly story: string | null }) =>
  story === null ? {} : { 'drydock.story.id': story }
