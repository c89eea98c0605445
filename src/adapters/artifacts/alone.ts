import type { Artifacts } from '../../ports/artifacts.ts'

/** Only one process works with an artifact folder, so locks in memory are enough. */
export function createAlone(): Artifacts['alone'] {
  const last = new Map<string, Promise<unknown>>()
  return async (name, work, signal) => {
    const before = last.get(name)
    const { promise: free, resolve: release } = Promise.withResolvers<void>()
    // A caller that stops waiting still hands its turn to the next one when it comes.
    const turn = Promise.all([before, free])
    last.set(name, turn)
    void turn.then(() => last.get(name) === turn && last.delete(name))
    try {
      if (before !== undefined) await orAborted(before, signal)
      signal.throwIfAborted()
      return await work()
    } finally {
      release()
    }
  }
}

async function orAborted(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    signal.throwIfAborted()
    await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
