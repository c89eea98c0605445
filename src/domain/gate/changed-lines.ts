/**
 * The added and removed lines of a unified diff, each with its sign. Lines between the file names
 * and the first hunk are never counted, whatever they look like.
 */
export function changedLines(diff: string): readonly string[] {
  let isHunk = false
  return diff.split('\n').filter((line) => {
    // A line of a file always has a sign before it.
    if (line.startsWith('@@ ')) isHunk = true
    else if (line.startsWith('diff ')) isHunk = false
    return isHunk && /^[+-]/.test(line)
  })
}

/** Lines before and after one that tell where it is. */
const around = 3

/**
 * The changed lines that are wanted, in their order, each with those around it in the diff: the
 * same line in another place is another one.
 */
export function changedPlaces(diff: string, isWanted: (line: string) => boolean): readonly string[] {
  const lines = diff.split('\n')
  const starts = [...lines.keys()].filter((i) => /^(?:@@ |diff )/.test(lines[i] ?? ''))
  return starts.flatMap((start, n) => {
    if (!lines[start]?.startsWith('@@ ')) return []
    const hunk = lines.slice(start + 1, starts[n + 1])
    return hunk.flatMap((line, i) =>
      /^[+-]/.test(line) && isWanted(line) ? [hunk.slice(Math.max(0, i - around), i + around + 1).join('\n')] : [],
    )
  })
}

/** The numbers, in the new file, of the lines that the unified diff of one file adds. */
export function addedLineNumbers(diff: string): ReadonlySet<number> {
  const added = new Set<number>()
  let next: number | null = null
  for (const line of diff.split('\n')) {
    const start = /^@@ -\S+ \+(\d+)/.exec(line)?.[1]
    if (start !== undefined) next = Number(start)
    else if (next !== null && line.startsWith('+')) added.add(next++)
    else if (next !== null && line.startsWith(' ')) next += 1
  }
  return added
}
