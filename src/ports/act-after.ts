import type { Clock, SleepOptions } from './clock.ts'

/** Acts after so many milliseconds, unless the returned function is called before. */
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
