import { updatingFlags } from '../../domain/gate/updating-flags.ts'
import { type JsonObject, objectAt } from './json-object.ts'
import { type ScriptTexts, testSteps } from './node-tests.ts'
import type { Step } from './project.ts'

export interface Scripts {
  readonly steps: readonly Step[]
  /** The step that only runs tests, for a script that does more. */
  readonly testsAlone: Step | null
  /** All the text that the steps make a shell run, one script per line. */
  readonly text: string
  /** Scripts that no step runs, because they rewrite what they should check. */
  readonly leftOut: readonly { readonly name: string; readonly flag: string }[]
  /** The name of a script that is known to write into the tree, if there is one. */
  readonly writer: string | null
}

const checks = [['lint'], ['typecheck', 'type-check', 'check-types'], ['build'], ['test']]
/** Names of test scripts, for a package without a script called `test`. */
const testNames = ['test:unit', 'test-unit', 'unit', 'tests', 'test:ci', 'test:run', 'test:node', 'spec']

/** The scripts of a package.json that check something, quick ones first. */
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
    // A gate without its tests shows nothing, so `test` stays, and a verification reports the
    // problem.
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

/** The scripts, their pre and post scripts, and the scripts that they call by name. */
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
 * True if a script is known to write into the tree; one that builds does, unless it only checks
 * types.
 */
function writes(text: string, { builds }: { readonly builds: boolean }): boolean {
  return commandsOf(text.replace(/\b(?:cross-env\s+)?(?:[A-Z_]+=\S*\s+)+/g, '')).some((command) => {
    if (compilers.test(command)) return !command.includes('--noEmit')
    return builds || writers.test(command) || writingFlags.test(` ${command}`)
  })
}
