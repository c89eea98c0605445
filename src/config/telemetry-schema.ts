import { z } from 'zod'

/** `telemetry` of the user's file: the destination of traces and metrics, and their content. */

const endpoint = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .refine((url) => !URL.canParse(url) || new URL(url).username + new URL(url).password === '', {
    error: 'must hold no user and no password; use headers',
  })

const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, { error: 'is no name of a header' })
const headerText = z.string().regex(/^[\t\x20-\x7e]*$/, { error: 'must be printable ASCII on one line' })
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'must be the name of an environment variable' })

const otlp = z.strictObject({
  endpoint: endpoint
    .exactOptional()
    .describe('Base URL of a collector that speaks OTLP over HTTP. Drydock adds /v1/traces and /v1/metrics.'),
  headers: z
    .record(
      headerName,
      z.union([headerText, z.strictObject({ env: variable })], { error: 'must be a text, or { "env": … }' }),
    )
    .exactOptional()
    .describe('Headers of each request. { "env": "NAME" } takes the value from that environment variable.'),
  service_name: z.string().trim().min(1).exactOptional().describe('Default: drydock.'),
})

export const telemetrySchema = z.strictObject({
  otlp: otlp.prefault({}),
  content: z
    .boolean()
    .default(false)
    .describe('Adds the titles of runs, and the arguments and results of tools, without known secrets.'),
})

export type TelemetryConfig = z.output<typeof telemetrySchema>
