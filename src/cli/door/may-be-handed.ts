/** Options of `drydock task` that another process understands as well: they name no file. */
const withValue = new Set([
  '--repo',
  '--model',
  '--architect-model',
  '--editor-model',
  '--scout-model',
  '--target',
  '--max-coders',
  '--budget-usd',
  '--priority',
  '--max-wait',
  '--criterion',
  '--constraint',
  '--non-goal',
  '--file',
])
const alone = new Set([
  '--json',
  '--review',
  '--dry-run',
  '--apply',
  '--no-wait',
  '--wait',
  '--no-ui',
  '--ui',
  '--no-hub',
])

/**
 * The folder that a command line names with --repo, or '.', where the command can be done by the
 * process that serves the repository; null for every other. One that reads the standard input, or a
 * file whose name starts from the current folder, is done where it was given.
 */
export function mayBeHanded([command, ...words]: readonly string[]): string | null {
  if (command !== 'task') return null
  let repo = '.'
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (word === '-' || word === '--') return null
    if (!word.startsWith('-') || alone.has(word)) continue
    const value = words[at + 1]
    if (!withValue.has(word) || value === undefined || value.startsWith('-')) return null
    if (word.endsWith('model') && /replay:(?!\/)/.test(value)) return null
    if (word === '--repo') repo = value
    at += 1
  }
  return repo
}
