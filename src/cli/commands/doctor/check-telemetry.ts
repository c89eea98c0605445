import type { Installation } from '../../../app/installation.ts'
import type { Check } from './check.ts'

/** Checks whether traces reach the collector. A collector is optional. */
export async function checkTelemetry({ telemetry }: Pick<Installation, 'telemetry'>): Promise<Check[]> {
  const { to, content, cursor } = telemetry
  if (to === null) return []
  const exported = await cursor.read()
  const what = `traces and metrics go to ${to}, ${content ? 'with' : 'without'} content`
  const { problem = null, rejected = 0 } = exported ?? {}
  const refused = rejected === 0 ? '' : `; ${rejected} items were rejected so far`
  if (problem === null) return [{ name: 'telemetry', ok: true, found: `${what}${refused}`, exit: 0 }]
  const fix = 'Correct "telemetry" of your configuration or the OTEL_ variables, then try: drydock trace'
  const consequence = 'Runs go on. What was not taken is sent later.'
  return [{ name: 'telemetry', ok: true, found: `${what}; ${problem}${refused}`, fix, consequence, exit: 0 }]
}
