/** Waits; an aborted signal ends it early. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const stopped = () => {
      clearTimeout(timer)
      resolve()
    }
    signal.addEventListener('abort', stopped, { once: true })
  })
}
