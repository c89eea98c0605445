import { tryStore } from '../../../app/views/hub/workload.ts'
import type { ViewSources } from '../../../app/views/view-sources.ts'
import { createHealth, type Health } from './health.ts'
import type { Metrics } from './metrics.ts'
import type { Standby } from './standby.ts'

/** What tells how a hub is. */
export interface HubWatch {
  readonly health: () => Promise<Health>
  readonly metrics: Metrics
}

interface HubWatchOptions extends Pick<ViewSources, 'records' | 'isOwned' | 'version' | 'now'> {
  /** Folder of the state. */
  readonly state: string
  readonly standby?: Standby
}

export async function createHubWatch(watched: HubWatchOptions): Promise<HubWatch> {
  // Whoever serves nobody but one user measures nothing.
  const { createMetrics } = await import('./metrics.ts')
  return { health: createHealth({ ...watched, look: () => tryStore(watched) }), metrics: createMetrics(watched) }
}
