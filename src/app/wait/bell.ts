/**
 * Lets a loop sleep until something rings, which is remembered while nobody sleeps. What rings
 * within `settleMs` after that wakes it once: a turn's commits are read together, not one by one in
 * the middle of it. `hurry` rings and waits for nothing; `next` says whether somebody did. Its time
 * is that of the process, whatever the clock of the work says.
 */
export function createBell({ settleMs }: { readonly settleMs: number }) {
  let rung = false
  let hurried = false
  let wake: (() => void) | null = null

  /** Waits until `isOver`, at most so long; looks again at each ring. */
  async function sleep(maxMs: number, isOver: () => boolean): Promise<void> {
    if (isOver()) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, maxMs)
      wake = () => {
        if (!isOver()) return
        clearTimeout(timer)
        resolve()
      }
    })
    wake = null
  }

  return {
    ring() {
      rung = true
      wake?.()
    },
    hurry() {
      rung = true
      hurried = true
      wake?.()
    },
    async next(maxMs: number): Promise<boolean> {
      await sleep(maxMs, () => rung)
      if (rung) await sleep(settleMs, () => hurried)
      const wasHurried = hurried
      rung = false
      hurried = false
      return wasHurried
    },
  }
}
