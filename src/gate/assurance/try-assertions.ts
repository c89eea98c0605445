import { drawnValues } from '../../domain/gate/canaries/drawn-values.ts'
import { isCode } from '../../domain/gate/code-syntax.ts'
import { isProgram } from '../../domain/gate/file-kind.ts'
import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import {
  type OwnAssertion,
  ownAssertions,
  sameAssertion,
  spoiledCalls,
} from '../../domain/gate/judges/own-assertions.ts'
import { isC } from '../../domain/gate/modules/c-modules.ts'
import { isShell } from '../../domain/gate/modules/shell-modules.ts'
import { limits } from '../../domain/limits.ts'
import { isTestFile } from '../../domain/story/plan.ts'
import { isGreen } from '../../domain/verification/reruns.ts'
import { passedIds } from '../../domain/verification/test-results.ts'
import type { Clock } from '../../ports/clock.ts'
import { contentsOf, textAt } from '../findings/compared-files.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import { canarySeed } from './canary-seed.ts'
import { isNamed, namelessSteps } from './lost-between.ts'
import { runVariant, type VariantDeps } from './run-variant.ts'
import type { Trying } from './trying.ts'

type Deps = VariantDeps & { readonly clock: Clock }

/** An assertion that the base commit also has, with a different text. */
interface EditedAssertion extends OwnAssertion {
  readonly path: string
  /** The text on the base commit. */
  readonly before: string
}

interface TextOf {
  readonly path: string
  readonly text: string
}

/**
 * Tries the macros and functions by which tests assert and which the change has edited. The
 * change's tests must pass with the base commit's version as well. If no runner names tests, a call
 * with other values must turn a step red.
 */
export async function tryAssertions(deps: Deps, trying: Trying, signal: AbortSignal): Promise<readonly Suspicion[]> {
  const { input, folder, change } = trying
  const texts = await changedTestCode(deps, trying, signal)
  const edited = await editedAssertions(deps, { ...trying, texts }, signal)
  if (edited.length === 0) return []
  const tests = await testTexts(deps, { ...trying, texts }, signal)
  const used = edited.filter(({ name }) => isCalled(tests, name))
  if (used.length === 0) return []
  const run = async (files: readonly TextOf[], name: string, anew = false) => {
    const contents = files.map(({ path, text }) => ({ path, content: text }))
    const tree = await deps.history.treeWith({ base: input.commit, from: input.commit, paths: [], files: contents })
    return runVariant(deps, { input, folder, variant: { tree, name }, anew }, signal)
  }
  const old = withBefore(texts, used)
  const lostIn = (ran: TreeTests) => lostTests(change, ran)
  const first = lostIn(await run(old, 'old-assertions'))
  const second = first.length === 0 ? [] : lostIn(await run(old, 'old-assertions-again', true))
  const lost = first.filter((id) => second.includes(id))
  const names = used.map(({ name, path }) => `${name} of ${path}`)
  const about = { trying, used, names }
  if (lost.length > 0) return [await toldAs(deps, about, `With the base commit’s ${names.join(', ')}`, lost)]
  const values = drawnValues(await canarySeed(deps, change.tree))
  const isHeard = (ran: TreeTests) => change.commands.some(({ name }) => !isGreenIn(ran, name))
  const deaf: string[] = []
  const untried: string[] = []
  for (const each of namelessSteps(change).length === 0 ? [] : used.slice(0, limits.canaries.helpers)) {
    const callsOf = (name: string) =>
      tests.flatMap(({ path, text }) => spoiledCalls({ path, text, name }, values).map((call) => ({ ...call, path })))
    const own = callsOf(each.name)
    // The end of the tests takes no values: any failing assertion must come through it.
    const others = new Set(tests.flatMap(({ path, text }) => ownAssertions(path, text).map(({ name }) => name)))
    const calls = own.length > 0 ? own : [...others].flatMap(callsOf)
    let answer: 'heard' | 'deaf' | 'untried' = 'untried'
    for (const [i, call] of calls.slice(0, limits.canaries.files).entries()) {
      const spoiled = [{ path: call.path, text: call.text }]
      if (isHeard(await run(spoiled, `assertion-${each.name}-${i + 1}`))) answer = 'heard'
      else if (isHeard(await run(withBefore(over(texts, spoiled), [each]), `assertion-${each.name}-${i + 1}-base`))) {
        answer = 'deaf'
        deaf.push(`${each.name} of ${each.path} passes with other values in ${call.path}:${call.line}`)
      }
      if (answer !== 'untried') break
    }
    if (answer === 'untried') untried.push(`${each.name} of ${each.path}`)
  }
  const found: Suspicion[] = []
  if (deaf.length > 0) {
    const claim = `${deaf.length === 1 ? 'An assertion lets' : `${deaf.length} assertions let`} through what the base commit’s version does not. Correct ${deaf.length === 1 ? 'it' : 'them'}.`
    found.push({ ...(await toldAs(deps, about, '', deaf)), kind: 'deaf_test', claim })
  }
  if (untried.length > 0) {
    const claim = `The change edits ${untried.join(', ')}, by which tests assert, and no call shows whether a test still fails. Look at it, or call it with a literal.`
    found.push({ ...(await toldAs(deps, about, '', untried)), claim })
  }
  return found
}

interface About {
  readonly trying: Trying
  readonly used: readonly EditedAssertion[]
  readonly names: readonly string[]
}

async function toldAs(
  deps: Deps,
  { trying, used, names }: About,
  start: string,
  lines: readonly string[],
): Promise<Suspicion> {
  const paths = new Set(used.map(({ path }) => path))
  const files = trying.files.filter(({ path }) => paths.has(path))
  const what = lines.length === 1 ? 'a test that passes fails' : `${lines.length} tests that pass fail`
  return {
    kind: 'expectation_changed',
    file: paths.size === 1 ? ([...paths][0] ?? '') : '',
    claim: `${start}, by which tests assert, ${what}. Keep the assertion as it was, or let a reviewer accept the new one.`,
    evidence: `${listed(lines)}\nlogs/old-assertions.log of ${trying.input.runId}`,
    identity: [...names, ...lines, ...(await contentsOf(deps, { ...trying, files }))],
  }
}

/** Changed files of tests whose assertions no other check tries. */
async function changedTestCode(
  deps: Deps,
  { base, change, files, kindOf, likely }: Trying,
  signal: AbortSignal,
): Promise<readonly TextOf[]> {
  // A linter beside named tests does not name any itself.
  const isNameless = !isNamed(base) && !isNamed(change)
  const found: TextOf[] = []
  for (const { path, status } of files.slice(0, limits.gate.files)) {
    const isAsked = isC(path) || isShell(path) || (isNameless && isProgram(path))
    const isOfTests = kindOf(path) === 'test' || likely.has(path) || (isShell(path) && isTestFile(path))
    if (status === 'deleted' || !isAsked || !isOfTests) continue
    const text = await textAt(deps, { sha: change.commit, path }, signal)
    if (text !== null) found.push({ path, text })
  }
  return found
}

/** Definitions may move between files, so they are compared by name. */
async function editedAssertions(
  deps: Deps,
  { base, files, texts }: Trying & { readonly texts: readonly TextOf[] },
  signal: AbortSignal,
): Promise<readonly EditedAssertion[]> {
  const known = new Map<string, string>()
  for (const { path, from = path, status } of files.slice(0, limits.gate.files)) {
    if (status === 'added' || !isCode(from)) continue
    const text = await textAt(deps, { sha: base.commit, path: from }, signal)
    for (const each of text === null ? [] : ownAssertions(from, text)) known.set(each.name, each.text)
  }
  return texts.flatMap(({ path, text }) =>
    ownAssertions(path, text).flatMap((each) => {
      const before = known.get(each.name)
      return before === undefined || sameAssertion(path, before, each.text) ? [] : [{ ...each, path, before }]
    }),
  )
}

/** The changed test files first, since their assertions are those of the change. */
async function testTexts(
  deps: Deps,
  { change, texts }: Trying & { readonly texts: readonly TextOf[] },
  signal: AbortSignal,
): Promise<readonly TextOf[]> {
  const all = await deps.history.committed(change.commit).list('**', limits.testReport.tests, signal)
  const known = new Set(texts.map(({ path }) => path))
  const others = all.ok ? all.value.paths.filter((path) => isTestFile(path) && isCode(path) && !known.has(path)) : []
  const found = [...texts]
  for (const path of others.slice(0, limits.canaries.read)) {
    const text = await textAt(deps, { sha: change.commit, path }, signal)
    if (text !== null) found.push({ path, text })
  }
  return found
}

function isCalled(tests: readonly TextOf[], name: string): boolean {
  const word = new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'g')
  return tests.reduce((sum, { text }) => sum + (text.match(word)?.length ?? 0), 0) > 1
}

/** The files with the base commit's text of these assertions. */
function withBefore(texts: readonly TextOf[], edited: readonly EditedAssertion[]): readonly TextOf[] {
  const paths = new Set(edited.map(({ path }) => path))
  return texts.map(({ path, text }) => {
    if (!paths.has(path)) return { path, text }
    let made = text
    for (const own of ownAssertions(path, text).toReversed()) {
      const found = edited.find((each) => each.path === path && each.name === own.name)
      if (found !== undefined) made = made.slice(0, own.start) + found.before + made.slice(own.end)
    }
    return { path, text: made }
  })
}

function over(texts: readonly TextOf[], others: readonly TextOf[]): readonly TextOf[] {
  const known = new Map([...texts, ...others].map((each) => [each.path, each]))
  return [...known.values()]
}

function isGreenIn({ commands, tests }: TreeTests, step: string): boolean {
  const ran = commands.find(({ name }) => name === step)
  return ran === undefined || isGreen(ran, tests[step] ?? null)
}

/** Tests, and steps without named ones, that pass with the change and do not pass here. */
function lostTests(change: TreeTests, ran: TreeTests): readonly string[] {
  const named = change.commands.flatMap(({ name }) => {
    const passed = new Set(passedIds(ran.tests[name] ?? null))
    const ids = passedIds(change.tests[name] ?? null)
    return isGreenIn(ran, name) ? [] : ids.filter((id) => !passed.has(id))
  })
  const steps = namelessSteps(change).filter((step) => isGreenIn(change, step) && !isGreenIn(ran, step))
  return [...named, ...steps.map((step) => `step ${step}`)]
}
