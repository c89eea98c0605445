import { type Naming, type Runner, runnerOf } from './node-runners.ts'
import { reportFile, reportPath, type Step } from './project.ts'

export type ScriptTexts = Readonly<Record<string, string>>

/** The step that runs the script `test`, as it is where its runner names its tests anyway, or cannot be told to; `all` is what it makes a shell run. */
export function testStep(scripts: ScriptTexts, all: string, dependencies: ReadonlySet<string>): Step {
  const plain: Step = { name: 'test', command: 'npm test' }
  const nodeTests = all.match(/\b(?:node|tsx)\s[^\n&|;]*--test(?![\w-])/g) ?? []
  if (nodeTests.length > 0) {
    const told = nodeTests.length > 1 || /--test-reporter|NODE_OPTIONS/.test(all)
    return told ? plain : { ...plain, command: `${nodeReporters} npm test`, junit: reportFile }
  }
  const found = runsOf(scripts, 'test')
  if (found.length === 0) return plain
  const only = found.filter(({ runner }) => runner !== null)
  const file = only.length === 1 ? only[0]?.runner?.file : undefined
  const isThere = file !== undefined && (file.needs === undefined || dependencies.has(file.needs))
  const { appended, line } = lineOf(scripts, 'test', (runner) => (isThere ? file : runner.printed))
  const command =
    appended === null ? `npm exec -c ${quoted(withHooks(scripts, 'test', line))}` : `npm test -- ${appended}`
  const before = isThere ? (file.before ?? '') : ''
  return { name: 'test', command: `${before}${command}`, ...(isThere && { junit: reportFile }) }
}

/** As options of Node they hold whatever the script's own arguments are. */
const nodeReporters = `NODE_OPTIONS="--test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination=\\"${reportPath}\\""`

/** One of the commands of a script. */
interface Part {
  readonly text: string
  readonly runner: Runner | null
  /** The script that it runs. */
  readonly calls: string | null
  /** Something was taken from it that hides the names of tests. */
  readonly changed: boolean
}

/** Programs that make something else of the TAP that they read. */
const formatters = /\s*\|\s*(?:npx\s+)?(?:tap-[\w-]+|faucet|colortape)(?:\s+-\S+)*\s*$/

/** Null for a script that is more than one command after the other. */
function partsOf(scripts: ScriptTexts, name: string): readonly Part[] | null {
  const commands = (scripts[name] ?? '').split('&&').map((command) => command.trim())
  const parts = commands
    .flatMap((command) => inTurn(scripts, command) ?? [command])
    .map((command): Part => {
      const text = command.replace(formatters, '')
      return { text, runner: runnerOf(text), calls: calledBy(scripts, text), changed: text !== command }
    })
  return parts.some(({ text }) => !isSimple(text)) ? null : parts
}

function isSimple(command: string): boolean {
  return command !== '' && !/[|&;<>()`$\n\\]/.test(command.replace(/"[^"$`\\]*"|'[^']*'/g, ''))
}

/** Of `run-s a "b:*"` what it runs, one after the other. */
function inTurn(scripts: ScriptTexts, command: string): readonly string[] | null {
  const [program = '', ...words] = command.split(/[\s"']+/).filter((word) => word !== '')
  if ((program !== 'run-s' && program !== 'npm-run-all') || words.some((word) => word.startsWith('-'))) return null
  const names = words.flatMap((word) => {
    if (!word.endsWith('*')) return word in scripts ? [word] : []
    return Object.keys(scripts).filter((name) => name.startsWith(word.replace(/\*+$/, '')))
  })
  return names.map((name) => `npm run ${name}`)
}

function calledBy(scripts: ScriptTexts, command: string): string | null {
  const [, name = ''] =
    /^(?:npm run|npm run-script|pnpm run|pnpm|yarn run|yarn)(?: -\S+)* ([\w:.-]+)$/.exec(command) ?? []
  return name in scripts ? name : null
}

/** The commands of a script, and of the scripts that it calls, that have to be told to name their tests. */
function runsOf(scripts: ScriptTexts, name: string, above: readonly string[] = []): readonly Part[] {
  if (above.includes(name)) return []
  return (partsOf(scripts, name) ?? []).flatMap((part) => {
    if (part.calls !== null) return runsOf(scripts, part.calls, [...above, name])
    return part.runner !== null || part.changed ? [part] : []
  })
}

interface Line {
  /** What makes the script's tests be named when it is put behind it; null where that is not enough. */
  readonly appended: string | null
  /** What does the same as the script, and names its tests. */
  readonly line: string
}

function lineOf(scripts: ScriptTexts, name: string, naming: (runner: Runner) => Naming): Line {
  const parts = partsOf(scripts, name) ?? []
  const told = parts.map((part) => {
    if (part.runner !== null) return `${part.text} ${naming(part.runner).options}`
    return part.calls === null || runsOf(scripts, part.calls).length === 0
      ? part.text
      : callOf(scripts, part.calls, naming)
  })
  const last = parts.at(-1)
  const isEnough = last?.runner != null && parts.every((part, i) => part === last || told[i] === part.text)
  const appended = isEnough && !parts.some(({ changed }) => changed) ? naming(last.runner).options : null
  return { appended, line: told.join(' && ') }
}

function callOf(scripts: ScriptTexts, name: string, naming: (runner: Runner) => Naming): string {
  const { appended, line } = lineOf(scripts, name, naming)
  return appended === null ? withHooks(scripts, name, line) : `npm run ${name} -- ${appended}`
}

/** npm runs them where it runs the script itself. */
function withHooks(scripts: ScriptTexts, name: string, line: string): string {
  const hook = (each: string) => (each in scripts ? [`npm run ${each}`] : [])
  return [...hook(`pre${name}`), line, ...hook(`post${name}`)].join(' && ')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
