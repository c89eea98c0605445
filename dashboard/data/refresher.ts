import type { QueryClient, QueryKey } from '@tanstack/react-query'

/**
 * Fetches stale data again: one request per key at a time, and once more if events arrive in the
 * meantime. So a flood of events neither queues up requests nor cancels them, and the last event is
 * always reflected.
 */
export function createRefresher(client: QueryClient): (queryKey: QueryKey) => void {
  const stale = new Map<string, { again: boolean }>()
  return function refresh(queryKey) {
    const name = JSON.stringify(queryKey)
    const running = stale.get(name)
    if (running) {
      running.again = true
      return
    }
    // A first request that is still pending is not repeated.
    const begun = client.getQueryCache().findAll({ queryKey })
    const isFirst = begun.some(({ state: { data, fetchStatus } }) => data === undefined && fetchStatus !== 'idle')
    const state = { again: isFirst }
    stale.set(name, state)
    client.invalidateQueries({ queryKey }, { cancelRefetch: true }).finally(() => {
      stale.delete(name)
      if (state.again) refresh(queryKey)
    })
  }
}
