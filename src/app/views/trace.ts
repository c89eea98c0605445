import { limits } from '../../domain/limits.ts'
import { isEnded, type Run } from '../../domain/run/run.ts'
import type { Metric, Span } from '../../ports/telemetry.ts'
import { metricsOf } from '../../workflow/trace/run-metrics.ts'
import { createSpanReader } from '../../workflow/trace/spans-of-event.ts'
import type { Installation } from '../installation.ts'
import { reading } from '../reading.ts'
import type { RecordSource } from '../state-access.ts'
import { findRun } from './find/find-work.ts'

/** The telemetry of a Run for a collector. */
export interface Trace {
  readonly run: Run
  /** Spans of all finished work, by the time of its end. */
  readonly spans: readonly Span[]
  readonly metrics: readonly Metric[]
  /** False while the span of the Run itself is still missing. */
  readonly isWhole: boolean
}

/** The trace of the named Run, or of the latest. Throws DrydockError `not_found`. */
export function readTrace(
  drydock: Pick<Installation, 'telemetry'> & RecordSource,
  id: string | undefined,
): Promise<Trace> {
  return reading(drydock, async (records) => {
    const run = await findRun(records, id)
    const reader = createSpanReader({ records, content: drydock.telemetry.content })
    const spans: Span[] = []
    let after = 0
    for (;;) {
      const events = await records.events({ run: run.id, after, limit: limits.telemetry.events })
      for (const event of events) spans.push(...(await reader.spansOf(event)))
      after = events.at(-1)?.id ?? after
      if (events.length < limits.telemetry.events) break
    }
    return { run, spans, metrics: await metricsOf(records, run.id), isWhole: isEnded(run.state) }
  })
}
