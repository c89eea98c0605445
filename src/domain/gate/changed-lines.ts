/**
 * The added and removed lines of a unified diff, each with its sign. Lines between the file names
 * and the first hunk are never counted, whatever they look like.
 */
export function changedLines(diff: string): readonly string[] {
  let isHunk = false
  return diff.split('\n').filter((line) => {
    // Inside a hunk every line of the file has a sign, so this is a header.
    if (line.startsWith('@@ ')) isHunk = true
    else if (line.startsWith('diff ')) isHunk = false
    return isHunk && /^[+-]/.test(line)
  })
}

/** The number of lines before and after a line that identify its place. */
const around = 3

/**
 * The matching changed lines, in order, each with its neighbours in the diff: equal lines in
 * different places stay distinct.
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
