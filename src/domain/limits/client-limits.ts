/**
 * Limits of a client of a hub. `requestMs`: for the answer to one request. `patienceMs`: how long a
 * command tries again that follows nothing; first after `retryMs`, then ever later, at most after
 * `longestRetryMs`. `quietMs`: a stream that says nothing for so long is cut; a hub says something
 * every 15 s. `receipts`: of one result, at most.
 */
export const clientLimits = {
  ...{ requestMs: 60_000, patienceMs: 30_000, retryMs: 250, longestRetryMs: 5_000, quietMs: 40_000 },
  receipts: 1_000,
} as const
