/**
 * What a task runner prints where it repeats an earlier result instead of running a task: turbo,
 * nx, lerna, wireit, moon, rush, Gradle and Bazel. Go keeps results by their content, and
 * the environment of a step turns that off.
 */
const replayed = [
  /\bcache hit(?: \([^)]*\))?, (?:replaying|suppressing) (?:logs|output)\b/,
  />>> FULL TURBO$/,
  /\[(?:local cache|remote cache|existing outputs match the cache, left as is)\]\s*$/,
  /^\s*Nx read the output from the cache instead of running the command/,
  /^> Task :\S*[tT]est\S* (?:FROM-CACHE|UP-TO-DATE)$/,
  /^\/\/\S+ +\(cached\) PASSED\b/,
  /(?:Restored from cache|Already fresh)\s*$/,
  /\brestored from the build cache\b|^▪▪▪▪ .*\(cached\b/,
] as const

/** Whether any of the lines says that an earlier result is repeated. */
export function isReplayed(lines: readonly string[]): boolean {
  return lines.some((line) => line.length < 1_000 && replayed.some((words) => words.test(line)))
}
