const kinds = '(?:failures?|failed|failing|fails?|errors?)'
const behind = new RegExp(`(?<![\\w.:])(\\d{1,9})(?: (?:tests?|specs?|examples?|assertions?))? ${kinds}\\b`, 'gi')
const before = new RegExp(`\\b${kinds}\\s*[:=]\\s*(\\d{1,9})\\b`, 'gi')

/**
 * How many tests failed by the totals at the end of a log whose tests nobody can name, such as
 * `345 specs, 85 failures` or `# FAIL: 7` beside `# ERROR: 0`; null without such a line.
 */
export function failuresSaid(log: string): number | null {
  const said = log.split('\n').map(countsIn)
  const end = said.findLastIndex((counts) => counts.length > 0)
  if (end === -1) return null
  const start = said.findLastIndex((counts, i) => i < end && counts.length === 0)
  return said
    .slice(start + 1, end + 1)
    .flat()
    .reduce((sum, count) => sum + count, 0)
}

function countsIn(line: string): readonly number[] {
  return [...line.matchAll(behind), ...line.matchAll(before)].map(([, count]) => Number(count))
}
