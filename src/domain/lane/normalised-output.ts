/**
 * Parts of an output that differ between equal runs of a command: times, durations, addresses,
 * process ids and names of temporary files. Each pattern takes linear time.
 */
const passing: readonly (readonly [pattern: RegExp, stands: string])[] = [
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, '<time>'],
  [/\b\d\d?:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?[AP]M)?\b/gi, '<time>'],
  [/\b1[5-9]\d{8}(?:\d{3})?\b/g, '<time>'],
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, '<id>'],
  [/\brun_\d{8}_\d{6}_\w{6}\b/g, '<id>'],
  [/\b0x[\da-f]{6,16}\b/gi, '<address>'],
  [/\/(?:var\/)?tmp\/[^\s'"`:;,)\]}>]{1,200}/g, '<temporary>'],
  [/\b\d{1,9}m ?(?=\d{1,9}(?:\.\d{1,9})?s\b)/g, ''],
  [/\b\d{1,12}(?:[.,]\d{1,12})? ?(?:ns|µs|us|ms|s|secs?|seconds?|mins?|minutes?|hours?)\b/gi, '<duration>'],
  [/\b((?:duration|elapsed|time|took|seed|pid)\w{0,10}["']? ?[ =:]? ?["']?)\d{1,20}(?:\.\d{1,20})?/gi, '$1<n>'],
]

/** A tool's output in the form that is compared with earlier outputs. */
export function normalisedOutput(output: string): string {
  return passing.reduce((text, [pattern, stands]) => text.replace(pattern, stands), output).trim()
}
