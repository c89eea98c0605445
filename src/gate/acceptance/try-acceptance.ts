import type { Acceptance, AcceptanceTests } from '../../domain/acceptance/acceptance-tests.ts'
import { drawnValues } from '../../domain/gate/canaries/drawn-values.ts'
import { plant } from '../../domain/gate/canaries/plant-canary.ts'
import { declaredTests } from '../../domain/gate/declared-tests.ts'
import { limits } from '../../domain/limits.ts'
import type { TriedTree } from '../../domain/verification/assurance.ts'
import { failingIn } from '../../domain/verification/reruns.ts'
import { passedIds, type TestReport } from '../../domain/verification/test-results.ts'
import { canarySeed } from '../assurance/canary-seed.ts'
import { shortened } from '../assurance/shortened-steps.ts'
import type { GateDependencies } from '../dependencies.ts'
import { InfraFailure } from '../infra-failure.ts'
import { createOutputTail } from '../output-tail.ts'
import { runTree } from '../run-tree.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import type { VerifyInput } from '../verification-place.ts'
import { acceptanceFacts } from './acceptance-facts.ts'

interface Trying {
  readonly input: VerifyInput
  readonly tests: AcceptanceTests
  /** The green steps of the change. */
  readonly change: TreeTests
  /** Ids of tests that fail on the base commit. */
  readonly failingOnBase: () => Promise<ReadonlySet<string>>
  /** The steps of the base commit. */
  readonly base: () => Promise<TreeTests>
}

/**
 * Runs the steps once more with the acceptance tests over the change, and again with a canary at
 * the end of each of their files, so that each of them has run to its end and can fail. Their
 * output goes nowhere: all that is known afterwards is whether they are met.
 */
export async function tryAcceptance(deps: GateDependencies, trying: Trying, signal: AbortSignal): Promise<Acceptance> {
  const { input, tests, change } = trying
  const facts = acceptanceFacts(tests)
  const seed = await canarySeed(deps, change.tree)
  const { files, tokens } = withCanaries(tests, seed)
  const run = (name: string, asked: Pick<Laid, 'files' | 'commit'>) =>
    runLaid(deps, { ...trying, ...asked, name }, signal)
  const plain = await run('acceptance', { files: contentsOf(tests), commit: input.commit })
  if (plain.status === 'FAIL') return { ...facts, status: 'not_met' }
  const heard = tokens.length === 0 ? null : await run('acceptance-canaries', { files, commit: input.commit })
  const isHeard = heard === null ? namesMore(change, plain) : tokens.every((token) => fails(heard, token))
  if (isHeard) return { ...facts, status: 'met' }
  if (
    change.tree !== (await deps.history.tree(input.base)) &&
    (await runsOnBase(trying, () => run('acceptance-base', { files, commit: input.base })))
  )
    return { ...facts, status: 'not_met' }
  return { ...facts, status: 'not_run', reason: 'no step runs them, or tells that it did' }
}

type Files = ReadonlyMap<string, Uint8Array>

const contentsOf = ({ files }: AcceptanceTests): Files =>
  new Map(files.map(({ path, content }) => [path, Buffer.from(content, 'base64')]))

/** Test files of known languages get a test that fails; others stay as they are. */
function withCanaries(
  tests: AcceptanceTests,
  seed: string,
): { readonly files: Files; readonly tokens: readonly string[] } {
  const values = drawnValues(`${seed} acceptance`)
  const files = new Map(contentsOf(tests))
  const tokens: string[] = []
  for (const [path, bytes] of files) {
    const token = `${values.word()}${values.number()}${values.word()}`
    const text = Buffer.from(bytes).toString('utf8')
    // A file without a test is a helper that others load.
    if (declaredTests(text, path).length === 0) continue
    const planted = plant({ path, text, token, values: drawnValues(token), isFirst: false, build: null })
    const own = planted.ok ? planted.files.find((each) => each.path === path) : undefined
    if (own === undefined) continue
    files.set(path, Buffer.from(own.text))
    tokens.push(token)
  }
  return { files, tokens }
}

interface Laid extends Trying {
  readonly name: string
  readonly files: Files
  readonly commit: string
}

/** The steps up to the last one with tests, in folders that are gone afterwards. */
async function runLaid(
  deps: GateDependencies,
  { input, change, failingOnBase, name, files, commit }: Laid,
  signal: AbortSignal,
): Promise<TreeTests> {
  const folder = await deps.artifacts.openBeside(input.runId, name)
  const write = () => undefined
  try {
    const over = await folder.lay(files)
    const own = { ...input, commit, config: shortened(input.config, change) }
    const tail = createOutputTail(limits.tailBytes, limits.tailLines)
    const log = folder.openLog
    const isOfChange = commit === input.commit
    const known = { failingOnBase: isOfChange ? failingOnBase : null, tracing: null }
    const { found, ended } = await runTree(deps, { input: own, folder, tail, write, log, over, ...known }, signal)
    if (ended.status === 'THROWN') throw ended.error
    input.onTree?.(timeOf(name, found.commands))
    if (ended.status === 'INFRA_ERROR') throw new InfraFailure(ended.infra)
    const { tree } = change
    return { commit, tree, status: ended.status, commands: found.commands, tests: Object.fromEntries(found.tests) }
  } finally {
    await folder.discard()
  }
}

function timeOf(name: string, commands: TreeTests['commands']): TriedTree {
  return { name, duration_ms: commands.reduce((sum, { duration_ms }) => sum + duration_ms, 0) }
}

const reportsOf = ({ tests }: TreeTests): readonly TestReport[] => Object.values(tests).flatMap((each) => each ?? [])

function fails(tests: TreeTests, token: string): boolean {
  return reportsOf(tests).some((report) => failingIn(report).some((id) => id.includes(token)))
}

/** Whether tests have passed that did not run without the acceptance tests. */
function namesMore(before: TreeTests, now: TreeTests): boolean {
  const known = new Set(reportsOf(before).flatMap(({ tests }) => tests.map(({ id }) => id)))
  return reportsOf(now).some((report) => passedIds(report).some((id) => !known.has(id)))
}

/** Whether the steps run them without the change, which then keeps them from running. */
async function runsOnBase({ base }: Trying, run: () => Promise<TreeTests>): Promise<boolean> {
  const before = await base()
  const known = new Set(reportsOf(before).flatMap((report) => failingIn(report)))
  const laid = await run()
  const isRedder = before.status === 'PASS' && laid.status === 'FAIL'
  return isRedder || reportsOf(laid).some((report) => failingIn(report).some((id) => !known.has(id)))
}
