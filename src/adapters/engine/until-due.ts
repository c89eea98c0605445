/** The longest delay of a Node timer; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1

/** Milliseconds until a step is due, cut to the longest timer. */
export function untilDue(time: string, now: Date): number {
  return Math.min(Math.max(1, Date.parse(time) - now.getTime()), longestTimerMs)
}
