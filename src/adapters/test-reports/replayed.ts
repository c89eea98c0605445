/**
 * Lines that task runners print when they replay an earlier result: turbo, nx, lerna, wireit, moon,
 * rush, Gradle and Bazel. Go caches results by content, which the environment of a step disables.
 * Each pattern matches a whole line, since a test may print the words, and all but turbo's name the
 * task.
 */
const replayed = [
  /^(?:(?<task>[^\s:]\S*): )?cache hit(?: \([^)]*\))?, (?:replaying|suppressing) (?:logs|output) [0-9a-f]{8,}$/,
  /^ *Time: +[\d.]+m?s(?: [\d.]+m?s)* >>> FULL TURBO$/,
  /^(?:>| {0,4}[✔✓√] ) (?:nx run )?(?<task>\S+:\S+) {2}\[(?:local cache|remote cache|existing outputs match the cache, left as is)\] *$/,
  /^> Task (?<gradle>:\S+) (?:FROM-CACHE|UP-TO-DATE)$/,
  /^\/\/\S+ +\(cached\) PASSED in \S+$/,
  /^(?:✅ )?\[(?<task>[^\][]+)\] (?:Restored from cache|Already fresh)$/,
  /^"?(?<task>[^"]+)"? was restored from the build cache\.?$/,
  /^▪▪▪▪ (?<task>\S+:\S+) \(cached\b.*\)$/,
] as const

/**
 * `web:test`, `web#test:unit` and `@scope/web (test)` are tasks that run tests; `latest` is not.
 */
const testTask = /(?:^|[^a-z])(?:tests?|specs?|e2e|unit|integration|check|ci|verify)(?:[^a-z]|$)/i
/** Matches `:app:test` and `:integrationTest`, but not `:compileTestJava` or `:testClasses`. */
const gradleTest = /:(?:tests?|(?!compile|process|generate|prepare|pre[A-Z]|assemble|bundle)\w*Tests?)$/
/** turbo lists its tasks before it runs them. */
const running = /^• Running (\S.*?)(?: in \d+ packages)?$/

/** True if a line says that the result of a test task was replayed. */
export function isReplayed(lines: readonly string[]): boolean {
  const tasks = lines.flatMap((line) => (line.startsWith('• ') ? (running.exec(line)?.[1] ?? []) : []))
  const mayBeTests = tasks.length === 0 || tasks.some((task) => testTask.test(task))
  return lines.some(
    (line) =>
      line.length < 1_000 &&
      replayed.some((words) => {
        const said = words.exec(line)
        if (said === null) return false
        const { task, gradle } = said.groups ?? {}
        if (gradle !== undefined) return gradleTest.test(gradle)
        return task === undefined ? line.startsWith('//') || mayBeTests : testTask.test(task)
      }),
  )
}
