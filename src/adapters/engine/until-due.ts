/** The longest that a timer of Node takes; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1

/** Milliseconds for a timer that looks for a step when it is due, or earlier. */
export function untilDue(time: string, now: Date): number {
  return Math.min(Math.max(1, Date.parse(time) - now.getTime()), longestTimerMs)
}
