import type { Request } from '../request/request.ts'
import type { Run } from './run.ts'

/** The architect is shown as ESCALATED or REQUEST while one of its requests is in that state. */
export function architectState(run: Run, requests: readonly Request[]): string {
  if (run.state !== 'MONITORING') return run.state
  if (requests.some(({ state }) => state === 'ESCALATED')) return 'ESCALATED'
  return requests.some(({ state }) => state === 'OPEN') ? 'REQUEST' : 'MONITORING'
}
