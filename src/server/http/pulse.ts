/** A connection to the owner of a state. */
export interface OwnerLine {
  look(isLooking: boolean): void
  close(): void
}

/** How the composition makes one; null when there is no owner. */
export type Connect = (on: {
  readonly change: () => void
  readonly gone: () => void
  readonly seen: (changes: unknown) => void
}) => Promise<OwnerLine | null>

/** Tells that something was committed, and whether anybody works on the state. */
export interface Pulse {
  /** Grows with each commit, and when an owner comes or goes. */
  readonly beats: () => number
  readonly owned: () => boolean
  /** Turns reports of what lanes do on or off; the setting outlives a change of owner. */
  look(isLooking: boolean): void
  /**
   * Fulfilled with whether it has grown over `beats`, at the latest after `ms`, or with the signal.
   */
  next(beats: number, ms: number, signal: AbortSignal): Promise<boolean>
  close(): void
}

const retryMs = 100

/** `seen` is told what lanes do while it looks, and null when their owner is gone. */
export async function createPulse(connect: Connect, seen: (changes: unknown) => void): Promise<Pulse> {
  let beats = 0
  let connection: OwnerLine | null = null
  let isLooking = false
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
        seen(null)
        beat()
        again()
      },
      seen,
    }).catch(() => null)
    if (isClosed) found?.close()
    else if (found === null) again()
    else {
      connection = found
      if (isLooking) found.look(true)
      beat()
    }
  }
  await look()
  return {
    beats: () => beats,
    owned: () => connection !== null,
    look(wanted) {
      if (wanted !== isLooking) connection?.look(wanted)
      isLooking = wanted
    },
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
