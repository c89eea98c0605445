/** A connection to the owner of a state. */
export interface OwnerLine {
  look(isLooking: boolean): void
  close(): void
}

/** Connects to the owner; null when there is none. */
export type Connect = (on: {
  readonly change: () => void
  readonly gone: () => void
  readonly seen: (changes: unknown) => void
}) => Promise<OwnerLine | null>

/** Reports commits to a state, and whether a process works on it. */
export interface Pulse {
  /** A counter that increases with each commit, and when an owner starts or ends. */
  readonly beats: () => number
  readonly owned: () => boolean
  /** Turns reports of what lanes do on or off; the setting outlives a change of owner. */
  look(isLooking: boolean): void
  /**
   * Resolves once the counter exceeds `beats`, after `ms`, or with the signal. The value is true if
   * the counter has exceeded `beats`.
   */
  next(beats: number, ms: number, signal: AbortSignal): Promise<boolean>
  close(): void
}

const retryMs = 100

/** `seen` receives the activity of lanes while `look` is on, and null when the owner has gone. */
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
