/** The connection to the owner of a state, as the composition makes it; null when there is none. */
export type Connect = (on: {
  readonly change: () => void
  readonly gone: () => void
}) => Promise<{ close(): void } | null>

/** Tells that something was committed, and whether anybody works on the state. */
export interface Pulse {
  /** Grows with each commit, and when an owner comes or goes. */
  readonly beats: () => number
  readonly owned: () => boolean
  /**
   * Fulfilled with whether it has grown over `beats`, at the latest after `ms`, or with the signal.
   */
  next(beats: number, ms: number, signal: AbortSignal): Promise<boolean>
  close(): void
}

const retryMs = 100

export async function createPulse(connect: Connect): Promise<Pulse> {
  let beats = 0
  let connection: { close(): void } | null = null
  let isClosed = false
  let retry: NodeJS.Timeout | undefined
  const waiting = new Set<() => void>()
  const beat = () => {
    beats += 1
    for (const wake of waiting) wake()
  }
  const again = () => {
    if (!isClosed) retry = setTimeout(() => void look(), retryMs).unref()
  }
  const look = async () => {
    const found = await connect({
      change: beat,
      gone() {
        connection = null
        beat()
        again()
      },
    }).catch(() => null)
    if (isClosed) found?.close()
    else if (found === null) again()
    else {
      connection = found
      beat()
    }
  }
  await look()
  return {
    beats: () => beats,
    owned: () => connection !== null,
    async next(known, ms, signal) {
      if (beats === known && !signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>()
        const wake = () => resolve()
        const timer = setTimeout(wake, ms)
        waiting.add(wake)
        signal.addEventListener('abort', wake, { once: true })
        await promise
        clearTimeout(timer)
        waiting.delete(wake)
        signal.removeEventListener('abort', wake)
      }
      return beats !== known
    },
    close() {
      isClosed = true
      clearTimeout(retry)
      connection?.close()
    },
  }
}
