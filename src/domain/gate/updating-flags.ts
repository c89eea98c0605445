/** Variables that make a runner rewrite its expected results, and the values that do not. */
const variables = /^(?:UPDATE_(?:SNAPSHOTS?|GOLDENS?|EXPECT)|SNAPSHOT_UPDATE|INSTA_UPDATE|INSTA_FORCE_UPDATE|TRYBUILD)=/
const harmless = /=(?:|0|no|false|auto|new|unseen|wip)$/i

/** Options that mean the same in every program. */
const everywhere =
  /^--(?:updateSnapshots?|update-snapshots?|snapshot-update|force-regen|regen-all|test-update-snapshots|fix|write)(?:=(?!false$).*)?$|^--(?:ci=false|no-ci)$/

/** Programs whose `-u` and `--update` rewrite snapshots; package managers pass these options on. */
const runners: ReadonlySet<string> = new Set([
  'jest',
  'vitest',
  'ava',
  'tap',
  'playwright',
  'react-scripts',
  'vue-cli-service',
])
const managers: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun'])

/**
 * The parts of a command line that make it rewrite what it should check: snapshots, golden files or
 * the sources themselves.
 */
export function updatingFlags(command: string): readonly string[] {
  return [...new Set(commandsIn(command).flatMap(flagsOf))]
}

function flagsOf(words: readonly string[]): readonly string[] {
  const names = words.map((word) => word.slice(word.lastIndexOf('/') + 1))
  const follows = (first: string, second: string) => names.some((name, i) => name === first && names[i + 1] === second)
  const found = words.filter((word) => everywhere.test(word) || (variables.test(word) && !harmless.test(word)))
  const start = names.findIndex((name) => runners.has(name))
  const handed = names.findIndex((name) => managers.has(name)) < 0 ? -1 : words.indexOf('--')
  const from = start >= 0 ? start : handed
  if (from >= 0) found.push(...words.slice(from).filter((word) => word === '-u' || word === '--update'))
  if (follows('go', 'test')) found.push(...words.filter((word) => /^--?update(?:=(?!false$).*)?$/.test(word)))
  if (follows('cargo', 'insta'))
    found.push(...(follows('insta', 'accept') ? ['insta accept'] : words.filter((word) => word === '--accept')))
  return found
}

/** Names of a package's scripts that a command may run. */
export function scriptsRunBy(command: string): readonly string[] {
  const names = commandsIn(command).flatMap((words) => {
    const at = words.findIndex((word) => managers.has(word))
    if (at < 0) return []
    const said = words.slice(at + 1).filter((word) => !word.startsWith('-'))
    const run = said.findIndex((word) => word === 'run' || word === 'run-script')
    if (run >= 0) return said.slice(run + 1, run + 2)
    if (words[at] !== 'npm') return said.slice(0, 1)
    return said.some((word) => ['test', 't', 'tst'].includes(word)) ? ['test'] : []
  })
  return [...new Set(names)].flatMap((name) => [`pre${name}`, name, `post${name}`])
}

function commandsIn(text: string): readonly (readonly string[])[] {
  return text.split(/[;|&\n()]+/).map((command) => command.split(/[\s"'`]+/).filter((word) => word !== ''))
}
