import { formatDuration } from '../figures-text.ts'
import type { ServiceRecord } from './verdict.ts'

/** The results of a step's services, a line each, without their logs. */
export function describeServices(services: readonly Omit<ServiceRecord, 'log'>[] = []): readonly string[] {
  return services.map(({ name, ready_ms, exit_code }) => {
    const end = exit_code === null ? '' : `, ended before the step with exit code ${exit_code}`
    return `service ${name}: ready after ${formatDuration(ready_ms)}${end}`
  })
}
