import { constants } from 'node:os'
import type { Output } from '../screen/output.ts'

/**
 * Runs several works in parallel until Ctrl-C ends them in order; a second Ctrl-C ends them at
 * once. The end of one work ends the others, too. Returns whether they were stopped from outside.
 */
export async function untilStopped(
  output: Output,
  start: (stop: AbortSignal) => readonly Promise<void>[],
): Promise<boolean> {
  const stop = new AbortController()
  let isStopped = false
  const interrupt = (signal: NodeJS.Signals) => {
    if (isStopped) process.exit(128 + constants.signals[signal])
    output.note('Stopping after the current steps; nothing is lost. Ctrl-C again stops at once.')
    isStopped = true
    stop.abort()
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, interrupt)
  try {
    const works = start(stop.signal).map((work) => work.finally(() => stop.abort()))
    for (const ended of await Promise.allSettled(works)) if (ended.status === 'rejected') throw ended.reason
    return isStopped
  } finally {
    for (const signal of signals) process.off(signal, interrupt)
  }
}
