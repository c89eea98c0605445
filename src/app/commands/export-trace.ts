import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { sentence } from '../../domain/sentence.ts'
import type { SendResult } from '../../ports/telemetry.ts'
import type { Installation } from '../installation.ts'
import { usage } from '../usage.ts'
import type { Trace } from '../views/trace.ts'

/**
 * Sends a trace to the configured collector and returns how many items the collector rejected. The
 * owner's position in its own export stays unchanged: both exports use the same ids. Throws
 * DrydockError `bad_usage` when there is no collector, and `export_failed`.
 */
export async function exportTrace(
  { telemetry }: Pick<Installation, 'telemetry'>,
  { run: { id: run }, spans, metrics }: Trace,
) {
  if (telemetry.to === null) {
    throw usage(
      'No collector is configured.',
      'Set "telemetry": { "otlp": { "endpoint": … } } in your configuration or OTEL_EXPORTER_OTLP_ENDPOINT, or write a file: --out <file>',
    )
  }
  const { signal } = new AbortController()
  let rejected = 0
  for (let from = 0; from < spans.length; from += limits.telemetry.events) {
    const items = spans.slice(from, from + limits.telemetry.events)
    rejected += taken(await telemetry.collector.spans([{ run, items }], signal))
  }
  if (metrics.length > 0) rejected += taken(await telemetry.collector.metrics([{ run, items: metrics }], signal))
  return { to: telemetry.to, rejected }
}

function taken(sent: SendResult): number {
  if (sent.result === 'taken') return sent.rejected
  throw new DrydockError('export_failed', sentence`The collector did not take the trace: ${sent.problem}.`, {
    todo: 'Correct "telemetry" of your configuration or the OTEL_ variables, or write a file: drydock trace --out <file>',
  })
}
