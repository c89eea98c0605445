import { type Naming, programOf, type Runner, runnerOf, withoutReporting } from './node-runners.ts'
import { reportFile, reportPath, type Step } from './project.ts'

export type ScriptTexts = Readonly<Record<string, string>>

interface Package {
  readonly scripts: ScriptTexts
  readonly dependencies: ReadonlySet<string>
}

export interface TestSteps {
  /**
   * Runs the script `test`. It is unchanged if its runner names its tests anyway, or cannot be made
   * to.
   */
  readonly step: Step
  /** The step that only runs tests, for a script that does more. */
  readonly testsAlone: Step | null
}

/** The step for the script `test`; `all` is the text of everything that it runs. */
export function testSteps(scripts: ScriptTexts, all: string, dependencies: ReadonlySet<string>): TestSteps {
  const own: Package = { scripts, dependencies }
  const plain: Step = { name: 'test', command: 'npm test' }
  const nodeTests = all.match(/\b(?:node|tsx)\s[^\n&|;]*--test(?![\w-])/g) ?? []
  const others = runsOf(own, 'test').filter(isToBeTold)
  // Only one report is possible. If another runner is used as well, Node just prints its tests, as
  // it does by default.
  const isTold = nodeTests.length === 1 && others.length === 0 && !/--test-reporter|NODE_OPTIONS/.test(all)
  const found = isTold ? [] : others
  const only = found.filter(({ runner }) => runner !== null)
  const file = only.length === 1 && nodeTests.length === 0 ? only[0]?.runner?.file : undefined
  const isThere = file !== undefined && (file.needs === undefined || dependencies.has(file.needs))
  const naming = (runner: Runner) => (isThere ? file : runner.printed)
  const before = isTold ? `${nodeReporters} ` : isThere ? (file.before ?? '') : ''
  const step = (command: string): Step => ({
    ...plain,
    command: `${before}${command}`,
    ...((isTold || isThere) && { junit: reportFile }),
  })
  const alone = testsAlone(own, naming)
  const aloneStep = alone === null ? null : step(`npm exec -c ${quoted(alone)}`)
  if (found.length === 0) return { step: isTold ? step(plain.command) : plain, testsAlone: aloneStep }
  const { appended, line } = lineOf(own, 'test', naming)
  const command = appended === null ? `npm exec -c ${quoted(withHooks(own, 'test', line))}` : `npm test -- ${appended}`
  return { step: step(command), testsAlone: aloneStep }
}

/**
 * The part of the script `test` that starts test runners. Null if the script has no other part, or
 * no known runner.
 */
function testsAlone(own: Package, naming: (runner: Runner) => Naming): string | null {
  const all = partsIn(own, 'test')
  const ofTests = all.filter((part) => runsTests(part))
  if (ofTests.length === 0 || ofTests.length === all.length) return null
  return ofTests.map(({ text, runner }) => (runner === null ? text : `${text} ${naming(runner).options}`)).join(' && ')
}

/** Set as Node's options, they apply whatever arguments the script has. */
const nodeReporters = `NODE_OPTIONS="--test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination=\\"${reportPath}\\""`

/** One of the commands of a script. */
interface Part {
  readonly text: string
  readonly runner: Runner | null
  /** The script that the command runs. */
  readonly calls: string | null
  /** True if an option was removed that hides the names of tests, or that may occur only once. */
  readonly changed: boolean
}

/** Programs that reformat the TAP that they read. */
const formatters = /\s*\|\s*(?:npx\s+)?(?:tap-[\w-]+|faucet|colortape)(?:\s+-\S+)*\s*$/

/** The commands of a script; null for a script that is more than a sequence of commands. */
function partsOf(own: Package, name: string): readonly Part[] | null {
  const commands = (own.scripts[name] ?? '').split('&&').map((command) => command.trim())
  const parts = commands
    .flatMap((command) => inTurn(own, command) ?? [command])
    .map((command): Part => {
      const text = withoutReporting(command.replace(formatters, ''))
      return {
        text,
        runner: runnerOf(text) ?? programOf(text, own.dependencies),
        calls: calledBy(own, text),
        changed: text !== command,
      }
    })
  return parts.some(({ text }) => !isSimple(text)) ? null : parts
}

function isSimple(command: string): boolean {
  return command !== '' && !/[|&;<>()`$\n\\]/.test(command.replace(/"[^"$`\\]*"|'[^']*'/g, ''))
}

/** For `run-s a "b:*"`, the scripts that it runs in sequence. */
function inTurn(own: Package, command: string): readonly string[] | null {
  const [program = '', ...words] = command.split(/[\s"']+/).filter((word) => word !== '')
  if ((program !== 'run-s' && program !== 'npm-run-all') || words.some((word) => word.startsWith('-'))) return null
  const names = words.flatMap((word) => {
    if (!word.endsWith('*')) return word in own.scripts ? [word] : []
    return Object.keys(own.scripts).filter((name) => name.startsWith(word.replace(/\*+$/, '')))
  })
  return names.map((name) => `npm run ${name}`)
}

function calledBy(own: Package, command: string): string | null {
  const [, name = ''] =
    /^(?:npm run|npm run-script|pnpm run|pnpm|yarn run|yarn)(?: -\S+)* ([\w:.-]+)$/.exec(command) ?? []
  return name in own.scripts ? name : null
}

/** The commands of a script, and of the scripts that it calls. */
function runsOf(own: Package, name: string, above: readonly string[] = []): readonly Part[] {
  if (above.includes(name)) return []
  return (partsOf(own, name) ?? []).flatMap((part) =>
    part.calls === null ? [part] : runsOf(own, part.calls, [...above, name]),
  )
}

/** Includes the script's pre and post scripts. */
function partsIn(own: Package, name: string): readonly Part[] {
  return [`pre${name}`, name, `post${name}`].flatMap((each) => (each in own.scripts ? runsOf(own, each) : []))
}

const isToBeTold = ({ runner, changed }: Part): boolean => runner !== null || changed

/** Includes runners that name their tests by default. */
function runsTests({ text, runner }: Part): boolean {
  return runner !== null || /(?:^|\s)(?:tape|node\s(?:\S+\s)*--test|tsx\s(?:\S+\s)*--test)(?:\s|$)/.test(text)
}

interface Line {
  /**
   * The text that makes the script name its tests when it is appended; null if that is not enough.
   */
  readonly appended: string | null
  /** A command line that does the same as the script, and names its tests. */
  readonly line: string
}

function lineOf(own: Package, name: string, naming: (runner: Runner) => Naming, above: readonly string[] = []): Line {
  const parts = partsOf(own, name) ?? []
  const told = parts.map((part) => {
    if (part.runner !== null) return `${part.text} ${naming(part.runner).options}`
    const within = [...above, name]
    return part.calls === null || within.includes(part.calls) || !runsOf(own, part.calls, within).some(isToBeTold)
      ? part.text
      : callOf(own, part.calls, naming, within)
  })
  const last = parts.at(-1)
  const isEnough = last?.runner != null && parts.every((part, i) => part === last || told[i] === part.text)
  const appended = isEnough && !parts.some(({ changed }) => changed) ? naming(last.runner).options : null
  return { appended, line: told.join(' && ') }
}

function callOf(own: Package, name: string, naming: (runner: Runner) => Naming, above: readonly string[]): string {
  const { appended, line } = lineOf(own, name, naming, above)
  return appended === null ? withHooks(own, name, line) : `npm run ${name} -- ${appended}`
}

/** npm runs pre and post scripts together with the script itself. */
function withHooks(own: Package, name: string, line: string): string {
  const hook = (each: string) => (each in own.scripts ? [`npm run ${each}`] : [])
  return [...hook(`pre${name}`), line, ...hook(`post${name}`)].join(' && ')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
