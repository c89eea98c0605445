import type { Attribute, Attributes, Metric, Point, RunItems, Span } from '../../ports/telemetry.ts'

/** The version of the OpenTelemetry semantic conventions for the names and attributes. */
const conventions = '1.41.0'

const schemaUrl = `https://opentelemetry.io/schemas/${conventions}`

/** The common properties of all spans and metrics of a process. */
export interface Sender {
  readonly serviceName: string
  /** Drydock's version. */
  readonly version: string
  /** Further attributes that the user sets. */
  readonly attributes: Attributes
  /** Redacts secrets from a text. */
  readonly redact: (text: string) => string
}

/** The body of a request to `/v1/traces`, in OTLP's JSON encoding. */
export function tracesJson(told: readonly RunItems<Span>[], sender: Sender): object {
  return {
    resourceSpans: told.map(({ run, items }) => ({
      resource: resourceOf(run, sender),
      scopeSpans: [{ scope: scopeOf(sender), spans: items.map((span) => spanJson(span, sender)), schemaUrl }],
      schemaUrl,
    })),
  }
}

/** The body of a request to `/v1/metrics`. */
export function metricsJson(told: readonly RunItems<Metric>[], sender: Sender): object {
  return {
    resourceMetrics: told.map(({ run, items }) => ({
      resource: resourceOf(run, sender),
      scopeMetrics: [{ scope: scopeOf(sender), metrics: items.map((metric) => metricJson(metric, sender)), schemaUrl }],
      schemaUrl,
    })),
  }
}

const scopeOf = ({ version }: Sender) => ({ name: 'drydock', version })

/** Each Run is its own service instance, since its totals begin and end with it. */
function resourceOf(run: string, sender: Sender): object {
  const { serviceName, version, attributes } = sender
  const own = { 'service.name': serviceName, 'service.version': version, 'service.instance.id': run }
  return { attributes: attributesJson({ ...attributes, ...own }, sender) }
}

const kinds = { internal: 1, client: 3 } as const
const failed = 2

function spanJson(span: Span, sender: Sender): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId !== null && { parentSpanId: span.parentSpanId }),
    name: sender.redact(span.name),
    kind: kinds[span.kind],
    startTimeUnixNano: nanoseconds(span.start),
    endTimeUnixNano: nanoseconds(span.end),
    attributes: attributesJson(span.attributes, sender),
    status: span.failed ? { code: failed } : {},
  }
}

const cumulative = 2

function metricJson({ name, unit, description, start, at, points, bounds }: Metric, sender: Sender): object {
  const times = { startTimeUnixNano: nanoseconds(start), timeUnixNano: nanoseconds(at) }
  const common = (point: Point) => ({ attributes: attributesJson(point.attributes, sender), ...times })
  const about = { name, unit, description }
  if (bounds === null) {
    const dataPoints = points.map((point) => ({ ...common(point), asDouble: point.sum }))
    return { ...about, sum: { aggregationTemporality: cumulative, isMonotonic: true, dataPoints } }
  }
  const dataPoints = points.map((point) => ({
    ...common(point),
    count: String(point.count),
    sum: point.sum,
    bucketCounts: point.buckets.map(String),
    explicitBounds: bounds,
  }))
  return { ...about, histogram: { aggregationTemporality: cumulative, dataPoints } }
}

/** OTLP's JSON encodes 64-bit integers as strings. */
function nanoseconds(time: Date): string {
  return String(BigInt(time.getTime()) * 1_000_000n)
}

function attributesJson(attributes: Attributes, sender: Sender): readonly object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueJson(value, sender) }))
}

function valueJson(value: Attribute, sender: Sender): object {
  if (typeof value === 'string') return { stringValue: sender.redact(value) }
  if (typeof value === 'number') return { intValue: String(value) }
  if ('double' in value) return { doubleValue: value.double }
  return { arrayValue: { values: value.map((each) => valueJson(each, sender)) } }
}
