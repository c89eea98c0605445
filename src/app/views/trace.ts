import { limits } from '../../domain/limits.ts'
import { isEnded, type Run } from '../../domain/run/run.ts'
import type { Metric, Span } from '../../ports/telemetry.ts'
import { metricsOf } from '../../workflow/trace/run-metrics.ts'
import { createSpanReader } from '../../workflow/trace/spans-of-event.ts'
import type { Installation } from '../installation.ts'
import { reading } from '../reading.ts'
import type { RecordSource } from '../state-access.ts'
import { findRun } from './find/find-work.ts'

/** What a Run says of itself to a collector. */
export interface Trace {
  readonly run: Run
  /** Of all work that has ended, in the order of its end. */
  readonly spans: readonly Span[]
  readonly metrics: readonly Metric[]
  /** False while the span of the Run itself is still to come. */
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
