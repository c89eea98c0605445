/**
 * Takes turns in order of arrival: an exclusive turn waits for all turns before it, a shared one
 * only for the last exclusive turn.
 */
export function createTurns() {
  let lastAlone: Promise<void> = Promise.resolve()
  /** All shared turns since the last exclusive one. */
  let sharing: Promise<void> = Promise.resolve()

  return {
    take<T>({ alone }: { readonly alone: boolean }, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
      const before = alone ? whenBoth(lastAlone, sharing) : lastAlone
      const done = unlessAborted(before, signal).then(work)
      if (alone) {
        lastAlone = whenBoth(before, done)
        sharing = Promise.resolve()
      } else {
        sharing = whenBoth(sharing, done)
      }
      return done
    },
  }
}

/** Drops both results, since the chain of turns lasts as long as the session. */
async function whenBoth(a: Promise<unknown>, b: Promise<unknown>): Promise<void> {
  await Promise.allSettled([a, b])
}

/** Waits for a turn until the signal aborts. */
function unlessAborted(turn: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    turn.then(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    })
  })
}
