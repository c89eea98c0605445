/**
 * Who comes in turn, in the order of asking: one that works alone waits for all before it, others
 * for the last such one only.
 */
export function createTurns() {
  let lastAlone: Promise<void> = Promise.resolve()
  /** All that share, since then. */
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

/** Keeps neither result: turns go on for as long as a session. */
async function whenBoth(a: Promise<unknown>, b: Promise<unknown>): Promise<void> {
  await Promise.allSettled([a, b])
}

/** Waits for a turn that need not come: an abort ends the waiting. */
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
