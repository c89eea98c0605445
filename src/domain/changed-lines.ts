/** The added and removed lines of a unified diff, each with its sign. What stands between the files' names and their first hunk is none, whatever it looks like. */
export function changedLines(diff: string): readonly string[] {
  let isHunk = false
  return diff.split('\n').filter((line) => {
    // A line of a file always has a sign before it.
    if (line.startsWith('@@ ')) isHunk = true
    else if (line.startsWith('diff ')) isHunk = false
    return isHunk && /^[+-]/.test(line)
  })
}
