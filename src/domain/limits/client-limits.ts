/**
 * Limits of a client of a hub. `requestMs`: wait for the answer to one request. `patienceMs`: total
 * time of retries of a command that follows nothing; the first comes after `retryMs`, later ones
 * after growing pauses up to `longestRetryMs`. `quietMs`: a stream is cut after this silence; a hub
 * sends something every 15 s. `receipts`: most for one result.
 */
export const clientLimits = {
  requestMs: 60_000,
  patienceMs: 30_000,
  retryMs: 250,
  longestRetryMs: 5_000,
  quietMs: 40_000,
  receipts: 1_000,
} as const
