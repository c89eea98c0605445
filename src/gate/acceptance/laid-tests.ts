import type { AcceptanceFile, AcceptanceTests } from '../../domain/acceptance/acceptance-tests.ts'
import { drawnValues } from '../../domain/gate/canaries/drawn-values.ts'
import { plant } from '../../domain/gate/canaries/plant-canary.ts'
import { declaredTests } from '../../domain/gate/declared-tests.ts'
import { limits } from '../../domain/limits.ts'
import type { TriedTree } from '../../domain/verification/assurance.ts'
import { failingIn } from '../../domain/verification/reruns.ts'
import type { TestOutcome, TestReport, TestResult } from '../../domain/verification/test-results.ts'
import { shortened } from '../assurance/shortened-steps.ts'
import type { GateDependencies } from '../dependencies.ts'
import { InfraFailure } from '../infra-failure.ts'
import { createOutputTail, type OutputTail } from '../output-tail.ts'
import { runTree } from '../run-tree.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import type { VerifyInput } from '../verification-place.ts'

export type LaidFiles = ReadonlyMap<string, Uint8Array>

export const contentsOf = (files: readonly AcceptanceFile[]): LaidFiles =>
  new Map(files.map(({ path, content }) => [path, Buffer.from(content, 'base64')]))

/** Test files of known languages get a test that fails; others stay as they are. */
export function withCanaries(
  tests: AcceptanceTests,
  seed: string,
): { readonly files: LaidFiles; readonly tokens: readonly string[] } {
  const values = drawnValues(`${seed} acceptance`)
  const files = new Map(contentsOf(tests.files))
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

export interface Laying {
  readonly input: VerifyInput
  /** The green steps of the commit without the files, as far as they are known. */
  readonly before: TreeTests
  /** Ids of tests that fail on the base commit; null if failing steps are not examined. */
  readonly failingOnBase: (() => Promise<ReadonlySet<string>>) | null
  /** Name of the folder, and of the tree in the list of times. */
  readonly name: string
  readonly files: LaidFiles
  readonly commit: string
  /** Collects the end of the steps' output; left out to discard it. */
  readonly output?: OutputTail
}

/**
 * Writes files over a checkout of the commit and runs the steps there, up to the last one with
 * tests. The folders are removed afterwards. Rejects with InfraFailure when the steps could not
 * run.
 */
export async function runLaid(
  deps: GateDependencies,
  { input, before, failingOnBase, name, files, commit, output }: Laying,
  signal: AbortSignal,
): Promise<TreeTests> {
  const folder = await deps.artifacts.openBeside(input.runId, name)
  const write = (chunk: Uint8Array) => output?.push(chunk)
  try {
    const over = await folder.lay(files)
    const own = { ...input, commit, config: shortened(input.config, { change: before }) }
    const tail = createOutputTail(limits.tailBytes, limits.tailLines)
    const log = folder.openLog
    const running = { input: own, folder, tail, write, log, over, failingOnBase, tracing: null }
    const { found, ended } = await runTree(deps, running, signal)
    if (ended.status === 'THROWN') throw ended.error
    input.onTree?.(timeOf(name, found.commands))
    if (ended.status === 'INFRA_ERROR') throw new InfraFailure(ended.infra)
    const { tree } = before
    return { commit, tree, status: ended.status, commands: found.commands, tests: Object.fromEntries(found.tests) }
  } finally {
    await folder.discard()
  }
}

function timeOf(name: string, commands: TreeTests['commands']): TriedTree {
  return { name, duration_ms: commands.reduce((sum, { duration_ms }) => sum + duration_ms, 0) }
}

export const reportsOf = ({ tests }: TreeTests): readonly TestReport[] =>
  Object.values(tests).flatMap((each) => each ?? [])

/** True if a planted test has failed. */
export function hears(tests: TreeTests, token: string): boolean {
  return reportsOf(tests).some((report) => failingIn(report).some((id) => id.includes(token)))
}

/** The loaded tests with a name. */
export function namedIn(ran: TreeTests, name: string): readonly TestResult[] {
  const all = reportsOf(ran).flatMap(({ tests }) => tests)
  return all.filter(({ id, notLoaded }) => notLoaded !== true && isNamed(id, name))
}

/** The worst outcome of the tests with a name; null without any. */
export function outcomeOf(ran: TreeTests, name: string): TestOutcome | null {
  const outcomes = namedIn(ran, name).map(({ outcome }) => outcome)
  return (['failed', 'skipped', 'passed'] as const).find((outcome) => outcomes.includes(outcome)) ?? null
}

/** An id has the file and the suites before the name, as far as the runner gives them. */
function isNamed(id: string, name: string): boolean {
  return id === name || id.endsWith(` > ${name}`)
}
