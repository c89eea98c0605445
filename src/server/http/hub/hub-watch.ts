import { tryStore } from '../../../app/views/hub/workload.ts'
import type { ViewSources } from '../../../app/views/view-sources.ts'
import { createHealth, type Health } from './health.ts'
import type { Metrics } from './metrics.ts'
import type { Standby } from './standby.ts'

/** The monitoring of a hub. */
export interface HubWatch {
  readonly health: () => Promise<Health>
  readonly metrics: Metrics
}

interface HubWatchOptions extends Pick<ViewSources, 'records' | 'isOwned' | 'version' | 'now'> {
  /** The folder of the state. */
  readonly state: string
  readonly standby?: Standby
}

export async function createHubWatch(watched: HubWatchOptions): Promise<HubWatch> {
  // Loaded only by a hub: the dashboard of one user has no metrics.
  const { createMetrics } = await import('./metrics.ts')
  return { health: createHealth({ ...watched, look: () => tryStore(watched) }), metrics: createMetrics(watched) }
}
