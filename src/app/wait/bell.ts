/**
 * Lets a loop sleep until it is rung; a ring while nobody sleeps is remembered. Rings within
 * `settleMs` after the first wake the loop once, so that the commits of a turn are read together.
 * `hurry` rings without that delay; `next` tells whether somebody hurried. Uses real time, even if
 * the work has a simulated clock.
 */
export function createBell({ settleMs }: { readonly settleMs: number }) {
  let rung = false
  let hurried = false
  let wake: (() => void) | null = null

  /** Waits until `isOver` returns true, at most for the given time. Checks again at each ring. */
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
