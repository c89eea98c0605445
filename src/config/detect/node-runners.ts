import { reportPath } from './project.ts'

/** The changes to a command that make a runner print the names of its tests. */
export interface Naming {
  /** The options to append. */
  readonly options: string
  /** The prefix of the command. */
  readonly before?: string
  /** True if the runner writes a report, so that only one such run is possible. */
  readonly junit?: true
}

export interface Runner {
  /** Makes the runner print its tests. */
  readonly printed: Naming
  /** Makes the runner write a report; `needs` is the package for that. */
  readonly file?: Naming & { readonly needs?: string }
  /** The command's own reporting options, which some versions refuse twice. */
  readonly reporting?: RegExp
}

/** A value of an option, quoted or not. */
const value = String.raw`(?:"[^"]*"|'[^']*'|[^\s"'-]\S*)`
const option = (names: string): RegExp => new RegExp(String.raw`\s(?:${names})(?:=|\s+)${value}`, 'g')

const mocha: Runner = {
  printed: { options: '--reporter tap' },
  file: {
    // Without toConsole the output would not name failed tests.
    options: `--reporter mocha-junit-reporter --reporter-option mochaFile="${reportPath}" --reporter-option toConsole=true`,
    junit: true,
    needs: 'mocha-junit-reporter',
  },
  reporting: option('--reporter(?:-options?)?|-R|-O'),
}

const jest: Runner = {
  printed: { options: '--verbose' },
  file: {
    options: '--reporters=default --reporters=jest-junit',
    before: `JEST_JUNIT_OUTPUT_FILE="${reportPath}" `,
    junit: true,
    needs: 'jest-junit',
  },
  reporting: new RegExp(String.raw`\s--(?:reporters(?:=${value}|(?:\s+${value})+)|verbose(?:=\w+)?)(?=\s|$)`, 'g'),
}

const vitest: Runner = {
  printed: { options: '--reporter=verbose' },
  file: { options: `--reporter=default --reporter=junit --outputFile.junit="${reportPath}"`, junit: true },
}

const bun: Runner = {
  printed: { options: '' },
  file: { options: `--reporter=junit --reporter-outfile="${reportPath}"`, junit: true },
}

const runners: ReadonlyMap<string, Runner> = new Map([
  ...(['mocha', '_mocha', 'ts-mocha'] as const).map((name) => [name, mocha] as const),
  ...(['jest', 'react-scripts', 'tsdx'] as const).map((name) => [name, jest] as const),
  ['vitest', vitest],
  ['bun', bun],
  ['ava', { printed: { options: '--tap' }, reporting: /\s(?:--tap|-t|--verbose|-v)(?=\s|$)/g }],
  ['tap', { printed: { options: '--reporter=tap' }, reporting: option('--reporter|-R') }],
])

/** Programs that start the program in their arguments. */
const starters: ReadonlySet<string> = new Set(['cross-env', 'env', 'npx', 'node', 'nyc', 'c8', 'xvfb-run', 'exec'])

/**
 * The runner that a simple command starts, directly or through a coverage tool; null if none needs
 * options.
 */
export function runnerOf(command: string): Runner | null {
  return startIn(command)?.runner ?? null
}

/** The runner that a command starts, and the position of its name. */
function startIn(command: string): { readonly runner: Runner; readonly at: number } | null {
  const found = [...command.matchAll(/\S+/g)]
  const words = found.map(([word]) => word)
  let starts = true
  let before = ''
  for (const [i, word] of words.entries()) {
    const program = word.slice(word.lastIndexOf('/') + 1).replace(/\.[cm]?js$/, '')
    // `node node_modules/vitest/dist/cli-wrapper.js` also starts the package's program.
    const name = [program, packageOf(word) ?? ''].find((each) => runners.has(each) || starters.has(each)) ?? program
    const runner = starts ? runners.get(name) : undefined
    if (runner !== undefined)
      return isTold(name, words.slice(i + 1)) ? { runner: toTheEnd(runner, words), at: found[i]?.index ?? 0 } : null
    const isValue = before.startsWith('-') && !before.includes('=')
    starts &&= starters.has(name) || /^\w+=/.test(word) || word.startsWith('-') || isValue
    before = word
  }
  return null
}

const packageOf = (path: string): string | undefined => /(?:^|\/)node_modules\/([\w.-]+)\/\S*$/.exec(path)?.[1]

/** The command without its own reporting options. */
export function withoutReporting(command: string): string {
  const start = startIn(command)
  if (start?.runner.reporting === undefined) return command
  return command.slice(0, start.at) + command.slice(start.at).replace(start.runner.reporting, '')
}

/** A runner like mocha that stops at its first failure does not name the remaining tests. */
function toTheEnd(runner: Runner, words: readonly string[]): Runner {
  if (runner !== mocha || !words.some((word) => word === '--bail' || word === '-b')) return runner
  const whole = <N extends Naming>(naming: N): N => ({ ...naming, options: `--no-bail ${naming.options}` })
  return { ...runner, printed: whole(runner.printed), ...(runner.file && { file: whole(runner.file) }) }
}

/**
 * Node may run a test file that belongs to an installed mocha, which then accepts mocha's options.
 */
export function programOf(command: string, dependencies: ReadonlySet<string>): Runner | null {
  const [, file] = /^(?:(?:nyc|c8)(?: -\S+)* )?node ((?:[\w.-]+\/)*[\w.-]+)$/.exec(command) ?? []
  return file !== undefined && /\btests?\b/.test(file) && dependencies.has('mocha') ? { printed: mocha.printed } : null
}

function isTold(name: string, rest: readonly string[]): boolean {
  if ((name === 'react-scripts' || name === 'tsdx' || name === 'bun') && rest[0] !== 'test') return false
  // Words after a lone `--` are not for the runner.
  return !rest.some((word) => word === '--' || word.startsWith('--outputFile'))
}
