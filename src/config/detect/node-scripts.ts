import { updatingFlags } from '../../domain/gate/updating-flags.ts'
import { type JsonObject, objectAt } from './json-object.ts'
import { type ScriptTexts, testSteps } from './node-tests.ts'
import type { Step } from './project.ts'

export interface Scripts {
  readonly steps: readonly Step[]
  /** Of a script that does more than run tests, what only runs them. */
  readonly testsAlone: Step | null
  /** All that the steps make a shell run, a script a line. */
  readonly text: string
  /**
   * Scripts that check nothing as they are, since they rewrite what they should check; those of
   * them that no step runs.
   */
  readonly leftOut: readonly { readonly name: string; readonly flag: string }[]
  /** Name of the script that writes into the tree, if one is known to. */
  readonly writer: string | null
}

const checks = [['lint'], ['typecheck', 'type-check', 'check-types'], ['build'], ['test']]
/** Names of test scripts where no script is called `test`. */
const testNames = ['test:unit', 'test-unit', 'unit', 'tests', 'test:ci', 'test:run', 'test:node', 'spec']

/** The scripts of a package.json that check something, the quick ones first. */
export function findScripts(manifest: JsonObject): Scripts {
  const given = scriptsOf(manifest)
  const other = given.test === undefined ? testNames.find((name) => given[name] !== undefined) : undefined
  if (other === undefined) return findNamed(given, manifest)
  const alias = Object.fromEntries(
    ['pre', '', 'post'].flatMap((hook) => {
      const text = given[`${hook}${other}`]
      return text === undefined ? [] : [[`${hook}test`, text]]
    }),
  )
  const called = (step: Step): Step => ({ ...step, command: step.command.replace(/\bnpm test\b/, `npm run ${other}`) })
  const { steps, testsAlone, ...found } = findNamed({ ...given, ...alias }, manifest)
  return { ...found, steps: steps.map(called), testsAlone: testsAlone && called(testsAlone) }
}

function scriptsOf(manifest: JsonObject): ScriptTexts {
  return Object.fromEntries(
    Object.entries(objectAt(manifest, 'scripts')).flatMap(([name, text]) => (isReal(text) ? [[name, text]] : [])),
  )
}

function findNamed(scripts: ScriptTexts, manifest: JsonObject): Scripts {
  const found = checks.flatMap((names) => names.find((name) => scripts[name] !== undefined) ?? [])
  const leftOut = found.flatMap((name) => {
    const [flag] = [`pre${name}`, name, `post${name}`].flatMap((each) => updatingFlags(scripts[each] ?? ''))
    // Without its tests a gate shows nothing: they stay, and a verification says what is wrong.
    return flag === undefined || name === 'test' ? [] : [{ name, flag }]
  })
  const chosen = found.filter((name) => !leftOut.some((each) => each.name === name))
  const closure = (name: string) => reached(scripts, [name]).map((each) => scripts[each] ?? '')
  const tests = chosen.includes('test')
    ? testSteps(scripts, closure('test').join('\n'), dependenciesOf(manifest))
    : { step: null, testsAlone: null }
  return {
    steps: chosen.map((name) => (name === 'test' && tests.step) || { name, command: `npm run ${name}` }),
    testsAlone: tests.testsAlone,
    leftOut,
    text: chosen.flatMap(closure).join('\n'),
    writer: chosen.find((name) => closure(name).some((text) => writes(text, { builds: name === 'build' }))) ?? null,
  }
}

export function dependenciesOf(manifest: JsonObject): ReadonlySet<string> {
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies']
  return new Set(kinds.flatMap((kind) => Object.keys(objectAt(manifest, kind))))
}

/** `npm init` writes a test script that only fails. */
function isReal(script: unknown): script is string {
  return typeof script === 'string' && script.trim() !== '' && !script.includes('no test specified')
}

/** The scripts, those that run before and after them, and those that they call by name. */
function reached(scripts: ScriptTexts, names: readonly string[]): readonly string[] {
  const found = new Set<string>()
  const visit = (name: string) => {
    if (scripts[name] === undefined || found.has(name)) return
    found.add(name)
    for (const called of [`pre${name}`, ...calledBy(scripts[name], Object.keys(scripts)), `post${name}`]) visit(called)
  }
  for (const name of names) visit(name)
  return [...found]
}

function calledBy(text: string, names: readonly string[]): readonly string[] {
  return commandsOf(text).flatMap((command) => {
    if (!/\b(?:npm|pnpm|yarn|bun|npm-run-all|run-s|run-p|concurrently)\b/.test(command)) return []
    const words = command.split(/[\s"']+/).map((word) => word.replace(/^npm:/, ''))
    return words.flatMap((word) =>
      word.endsWith('*') ? names.filter((name) => name.startsWith(word.replace(/\*+$/, ''))) : [word],
    )
  })
}

function commandsOf(text: string): readonly string[] {
  return text.split(/&&|\|\||[;|\n]/).map((command) => command.trim())
}

const writers =
  /^(?:npx\s+)?(?:rimraf|del-cli|rm|cp|mv|mkdir|touch|mkdirp|cpx|cpy|copyfiles|shx|nyc|c8|turbo|nx|lerna|gulp|grunt|webpack|rollup|esbuild|tsup|tsdown|unbuild|parcel|swc|babel|vite\s+build|next|nuxt|astro|ng)\b/
const writingFlags = /\s(?:--coverage|--cache|--fix|--write|-u|--update)\b|(?<![\d&>])>>?\s*(?!\/dev\/|[&\s])/
const compilers = /\b(?:vue-)?tsc\b/

/**
 * Whether a script is known to write into the tree; one that builds is, unless it only checks
 * types.
 */
function writes(text: string, { builds }: { readonly builds: boolean }): boolean {
  return commandsOf(text.replace(/\b(?:cross-env\s+)?(?:[A-Z_]+=\S*\s+)+/g, '')).some((command) => {
    if (compilers.test(command)) return !command.includes('--noEmit')
    return builds || writers.test(command) || writingFlags.test(` ${command}`)
  })
}
