/** Waits until it has ended either way, or the signal is aborted. */
export async function settled(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    signal.throwIfAborted()
    await Promise.race([promise.catch(() => null), aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
