import { limits } from '../domain/limits.ts'
import type { EnvironmentVariables } from './environment.ts'
import type { TelemetryConfig } from './telemetry-schema.ts'

/** The destination of traces and metrics. */
export interface TelemetrySettings {
  /** Whole URLs; null if nothing is sent. */
  readonly tracesUrl: string | null
  readonly metricsUrl: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  readonly attributes: Readonly<Record<string, string>>
  readonly content: boolean
  readonly timeoutMs: number
  readonly delayMs: number
}

/**
 * The settings in the user's file, which override OpenTelemetry's standard variables. The URLs are
 * null if nothing is configured, or if the variables request an unsupported protocol.
 */
export function telemetrySettings(config: TelemetryConfig, env: EnvironmentVariables): TelemetrySettings {
  const { endpoint, headers = {}, service_name } = config.otlp
  const given = pairsIn(env.OTEL_EXPORTER_OTLP_HEADERS)
  const own = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    typeof value === 'string' ? value : (env[value.env]?.trim() ?? ''),
  ])
  const attributes = pairsIn(env.OTEL_RESOURCE_ATTRIBUTES)
  const isOff = env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true'
  return {
    tracesUrl: isOff ? null : endpointFor('traces', endpoint, env),
    metricsUrl: isOff ? null : endpointFor('metrics', endpoint, env),
    headers: { ...lowerCased(given), ...Object.fromEntries(own) },
    serviceName: service_name ?? (env.OTEL_SERVICE_NAME?.trim() || attributes['service.name'] || 'drydock'),
    attributes,
    content: config.content,
    timeoutMs: milliseconds(env.OTEL_EXPORTER_OTLP_TIMEOUT) ?? limits.telemetry.timeoutMs,
    delayMs: milliseconds(env.OTEL_BSP_SCHEDULE_DELAY) ?? limits.telemetry.settleMs,
  }
}

/** The secret values. */
export function telemetrySecrets(config: TelemetryConfig, env: EnvironmentVariables): readonly string[] {
  return Object.values(telemetrySettings(config, env).headers).flatMap((value) => {
    // A scheme such as Bearer is not secret, but the rest of the value is a secret by itself.
    const [, rest] = /^[A-Za-z]+ +(\S.*)$/.exec(value) ?? []
    return rest === undefined ? [value] : [value, rest]
  })
}

function endpointFor(
  signal: 'traces' | 'metrics',
  configured: string | undefined,
  env: EnvironmentVariables,
): string | null {
  if (configured !== undefined) return joined(configured, signal)
  const name = signal.toUpperCase()
  const exporter = env[`OTEL_${name}_EXPORTER`]?.trim()
  if (exporter && !exporter.split(',').includes('otlp')) return null
  const protocol = env[`OTEL_EXPORTER_OTLP_${name}_PROTOCOL`]?.trim() || env.OTEL_EXPORTER_OTLP_PROTOCOL?.trim()
  if (protocol === 'grpc') return null
  const whole = env[`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`]?.trim()
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT?.trim()
  const url = whole || (base ? joined(base, signal) : null)
  return url !== null && /^https?:$/.test(URL.parse(url)?.protocol ?? '') ? url : null
}

function joined(base: string, signal: string): string {
  return `${base.replace(/\/+$/, '')}/v1/${signal}`
}

/** `key=value,key2=value2`, percent-encoded, the format of the variables. */
function pairsIn(text = ''): Readonly<Record<string, string>> {
  const pairs = text.split(',').flatMap((pair): [string, string][] => {
    const [, key, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? []
    return key === undefined || value === undefined ? [] : [[decoded(key), decoded(value)]]
  })
  return Object.fromEntries(pairs)
}

function lowerCased(pairs: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(pairs).map(([name, value]) => [name.toLowerCase(), value]))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function milliseconds(text: string | undefined): number | null {
  const number = Number(text?.trim() || Number.NaN)
  return Number.isInteger(number) && number > 0 ? Math.min(number, limits.telemetry.longestPauseMs) : null
}
