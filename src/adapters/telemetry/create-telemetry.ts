import { join } from 'node:path'
import type { Telemetry } from '../../ports/telemetry.ts'
import { createExportCursor } from './export-cursor.ts'
import { type CollectorOptions, createOtlpCollector } from './otlp-collector.ts'
import { metricsJson, type Sender, tracesJson } from './otlp-json.ts'

interface Settings extends Omit<CollectorOptions, 'sender'>, Pick<Sender, 'serviceName' | 'attributes'> {
  readonly content: boolean
  readonly delayMs: number
}

interface Here extends Pick<Sender, 'version' | 'redact'> {
  /** The folder of the state. */
  readonly state: string
}

export function createTelemetry(settings: Settings, { state, ...here }: Here): Telemetry {
  const { tracesUrl, metricsUrl, content, delayMs, serviceName, attributes } = settings
  const sender = { serviceName, attributes, ...here }
  const url = tracesUrl ?? metricsUrl
  return {
    to: url === null ? null : new URL(url).origin,
    content,
    delayMs,
    collector: createOtlpCollector({ ...settings, sender }),
    cursor: createExportCursor(join(state, 'telemetry.json')),
    texts: (spans, metrics) => [
      JSON.stringify(tracesJson(spans, sender)),
      ...(metrics.length === 0 ? [] : [JSON.stringify(metricsJson(metrics, sender))]),
    ],
  }
}
