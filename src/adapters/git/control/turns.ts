/** A turn ends when it is disposed of. Rejects with the signal's reason. */
export type TakeTurn = (signal: AbortSignal) => Promise<Disposable>

/** Lets `most` callers work at the same time; the others wait in order of arrival. */
export function createTurns(most: number): TakeTurn {
  const waiting = new Set<() => void>()
  let taken = 0
  const end = () => {
    const [next] = waiting
    if (next === undefined) taken -= 1
    else next()
  }
  const turn = (): Disposable => {
    let isOver = false
    return {
      [Symbol.dispose]() {
        if (!isOver) end()
        isOver = true
      },
    }
  }
  return (signal) => {
    signal.throwIfAborted()
    if (taken < most) {
      taken += 1
      return Promise.resolve(turn())
    }
    const { promise, resolve, reject } = Promise.withResolvers<Disposable>()
    const leave = () => {
      waiting.delete(begin)
      reject(signal.reason)
    }
    const begin = () => {
      waiting.delete(begin)
      signal.removeEventListener('abort', leave)
      resolve(turn())
    }
    waiting.add(begin)
    signal.addEventListener('abort', leave, { once: true })
    return promise
  }
}
