/** Options of `drydock task` that mean the same in another process, since they name no file. */
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
 * The folder of `--repo`, or '.', for a command line that the repository's server can do; null for
 * every other. A command that reads standard input or a relative path must be done where it was
 * typed.
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
