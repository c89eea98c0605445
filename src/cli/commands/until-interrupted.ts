import { constants } from 'node:os'

/**
 * Does work until a signal of the terminal ends it. Then calls `onStopped` and returns the exit
 * code of the signal.
 */
export async function untilInterrupted(
  work: (signal: AbortSignal) => Promise<number>,
  onStopped: () => void = () => undefined,
): Promise<number> {
  const stop = new AbortController()
  let exitCode = 0
  const interrupt = (signal: NodeJS.Signals) => {
    exitCode = 128 + constants.signals[signal]
    stop.abort(new Error(`ended by ${signal}`))
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, interrupt)
  try {
    return await work(stop.signal)
  } catch (error) {
    if (!stop.signal.aborted) throw error
    onStopped()
    return exitCode
  } finally {
    for (const signal of signals) process.removeListener(signal, interrupt)
  }
}
