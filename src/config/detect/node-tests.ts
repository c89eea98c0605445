import { type Naming, programOf, type Runner, runnerOf, withoutReporting } from './node-runners.ts'
import { reportFile, reportPath, type Step } from './project.ts'

export type ScriptTexts = Readonly<Record<string, string>>

interface Package {
  readonly scripts: ScriptTexts
  readonly dependencies: ReadonlySet<string>
}

export interface TestSteps {
  /**
   * Runs the script `test`, as it is where its runner names its tests anyway, or cannot be told to.
   */
  readonly step: Step
  /** Of a script that does more, what only runs the tests. */
  readonly testsAlone: Step | null
}

/** How the script `test` is run; `all` is what it makes a shell run. */
export function testSteps(scripts: ScriptTexts, all: string, dependencies: ReadonlySet<string>): TestSteps {
  const own: Package = { scripts, dependencies }
  const plain: Step = { name: 'test', command: 'npm test' }
  const nodeTests = all.match(/\b(?:node|tsx)\s[^\n&|;]*--test(?![\w-])/g) ?? []
  const others = runsOf(own, 'test').filter(isToBeTold)
  // There can be one report: beside another runner Node prints its tests, which it does anyway.
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

/** null for a script that is nothing else than its runner, or of which none is known. */
function testsAlone(own: Package, naming: (runner: Runner) => Naming): string | null {
  const all = partsIn(own, 'test')
  const ofTests = all.filter((part) => runsTests(part))
  if (ofTests.length === 0 || ofTests.length === all.length) return null
  return ofTests.map(({ text, runner }) => (runner === null ? text : `${text} ${naming(runner).options}`)).join(' && ')
}

/** As options of Node they hold whatever the script's own arguments are. */
const nodeReporters = `NODE_OPTIONS="--test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination=\\"${reportPath}\\""`

/** One of the commands of a script. */
interface Part {
  readonly text: string
  readonly runner: Runner | null
  /** The script that it runs. */
  readonly calls: string | null
  /** Something was taken from it that hides the names of tests, or may be said only once. */
  readonly changed: boolean
}

/** Programs that make something else of the TAP that they read. */
const formatters = /\s*\|\s*(?:npx\s+)?(?:tap-[\w-]+|faucet|colortape)(?:\s+-\S+)*\s*$/

/** Null for a script that is more than one command after the other. */
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

/** Of `run-s a "b:*"` what it runs, one after the other. */
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

/** With what npm runs before and after them. */
function partsIn(own: Package, name: string): readonly Part[] {
  return [`pre${name}`, name, `post${name}`].flatMap((each) => (each in own.scripts ? runsOf(own, each) : []))
}

const isToBeTold = ({ runner, changed }: Part): boolean => runner !== null || changed

/** Runners that name their tests unasked are among them. */
function runsTests({ text, runner }: Part): boolean {
  return runner !== null || /(?:^|\s)(?:tape|node\s(?:\S+\s)*--test|tsx\s(?:\S+\s)*--test)(?:\s|$)/.test(text)
}

interface Line {
  /**
   * What makes the script's tests be named when it is put behind it; null where that is not enough.
   */
  readonly appended: string | null
  /** What does the same as the script, and names its tests. */
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

/** npm runs them where it runs the script itself. */
function withHooks(own: Package, name: string, line: string): string {
  const hook = (each: string) => (each in own.scripts ? [`npm run ${each}`] : [])
  return [...hook(`pre${name}`), line, ...hook(`post${name}`)].join(' && ')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
