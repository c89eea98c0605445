import type { Clock, SleepOptions } from './clock.ts'

/** Acts after a number of milliseconds, unless the returned function is called first. */
export function actAfter(
  clock: Pick<Clock, 'sleep'>,
  { ms, keepsAlive = true }: Pick<SleepOptions, 'keepsAlive'> & { readonly ms: number },
  act: () => void,
): () => void {
  const cancelled = new AbortController()
  void clock.sleep(ms, { signal: cancelled.signal, keepsAlive }).then(
    () => {
      if (!cancelled.signal.aborted) act()
    },
    () => undefined,
  )
  return () => cancelled.abort()
}
