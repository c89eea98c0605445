import type { Telemetry } from '../../ports/telemetry.ts'
import { createExportCursor } from './export-cursor.ts'
import { type CollectorOptions, createOtlpCollector } from './otlp-collector.ts'
import { metricsJson, tracesJson } from './otlp-json.ts'

interface TelemetryOptions extends Omit<CollectorOptions, 'sender'> {
  readonly serviceName: string
  readonly attributes: Readonly<Record<string, string>>
  readonly content: boolean
  readonly delayMs: number
  readonly version: string
  readonly redact: (text: string) => string
  /** The file that says how far the event log was exported. */
  readonly file: string
}

export function createTelemetry(options: TelemetryOptions): Telemetry {
  const { tracesUrl, metricsUrl, content, delayMs, file, ...sender } = options
  const url = tracesUrl ?? metricsUrl
  return {
    to: url === null ? null : new URL(url).origin,
    ...{ content, delayMs },
    collector: createOtlpCollector({ ...options, sender }),
    cursor: createExportCursor(file),
    texts: (spans, metrics) => [
      JSON.stringify(tracesJson(spans, sender)),
      ...(metrics.length === 0 ? [] : [JSON.stringify(metricsJson(metrics, sender))]),
    ],
  }
}
