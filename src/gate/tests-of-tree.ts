import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import type { CheckedFiles } from '../domain/gate/judges/checked-files.ts'
import { parsedJson } from '../domain/json.ts'
import { limits } from '../domain/limits.ts'
import type { RunConfig } from '../domain/run/run-config.ts'
import type { TestReport } from '../domain/verification/test-results.ts'
import type { CommandRecord } from '../domain/verification/verdict.ts'
import type { RunFolder } from '../ports/artifacts.ts'
import { treesAtOnce } from './assurance/side-by-side.ts'
import { InfraFailure } from './infra-failure.ts'
import { createOutputTail } from './output-tail.ts'
import { both, type Write } from './run-step.ts'
import type { Stepping } from './run-steps.ts'
import { type RunTreeDeps, runTree, type TreeResults } from './run-tree.ts'
import { checkedFiles } from './tracing/checked-files.ts'
import { type DecidingFiles, findDecidingFiles } from './tracing/deciding-files.ts'
import type { Rewritten } from './tracing/rewritten-files.ts'
import { createTracing, type Watch } from './tracing/tracing.ts'
import type { WatchOfFew } from './tracing/watch-few-tests.ts'
import type { VerifyInput } from './verification-place.ts'

/** The tests of one commit as its steps reported them; plain JSON. */
export interface TreeTests {
  readonly commit: string
  readonly tree: string
  readonly status: 'PASS' | 'FAIL'
  readonly commands: readonly CommandRecord[]
  /** Reports by step name; null for a step that named no test. */
  readonly tests: Readonly<Record<string, TestReport | null>>
  /**
   * Files that decide about the steps although their names do not show it; left out by older
   * versions, and if the steps were not traced.
   */
  readonly deciding?: DecidingFiles
  /**
   * The files that steps without named tests read; left out by older versions, and if the steps
   * were not traced.
   */
  readonly checked?: CheckedFiles
  /** Files of the gate that the steps rewrote; left out without any. */
  readonly rewritten?: readonly Rewritten[]
  /** The lines of the file `notes`; left out if none was requested. */
  readonly noted?: readonly string[]
  /**
   * The way in which a process could have noticed missing test files, or null; left out if nothing
   * watched for it.
   */
  readonly noticed?: string | null
}

/**
 * The tests of commits that changes are compared with: run once per tree and configuration, and
 * kept.
 */
export interface TestsOfTrees {
  /** Rejects with InfraFailure when the steps could not be run. */
  of(asked: TreeTestsInput, signal: AbortSignal): Promise<TreeTests>
  /** The tests of the base commit, if its steps have run already; otherwise null. */
  known(asked: Pick<TreeTestsInput, 'deps' | 'input'>, signal: AbortSignal): Promise<TreeTests | null>
  /** Stores a verification's results for a commit that others will be compared with. */
  keep(deps: RunTreeDeps, tests: TreeTests, config: RunConfig): Promise<void>
  /** The number of trees of one verification that run at once. */
  readonly atOnce: number
  /** Milliseconds of the steps above which a tree with few test files saves time. */
  readonly narrowFromMs: number
}

interface TreeTestsInput {
  readonly deps: RunTreeDeps
  /** The input of the verification that asks. */
  readonly input: VerifyInput
  readonly folder: RunFolder
  /** The commit to run; the base commit if left out. */
  readonly commit?: string
  /** Name of the log; `base` if left out. */
  readonly name?: string
  /** True to ignore kept results, and not to keep the new ones. */
  readonly anew?: boolean
  /** True if the first failing step ends the run. */
  readonly untilRed?: boolean
  /** A file below the steps' temporary folder whose lines are returned as `noted`. */
  readonly notes?: string
  /** Watches for processes that notice missing test files, for `noticed`. */
  readonly watch?: WatchOfFew
}

export function createTestsOfTrees({
  atOnce = treesAtOnce(availableParallelism()),
  narrowFromMs = limits.assurance.narrowFromMs,
}: {
  readonly atOnce?: number | undefined
  readonly narrowFromMs?: number | undefined
} = {}): TestsOfTrees {
  async function whyUntraced({ deps }: Pick<TreeTestsInput, 'deps'>, signal: AbortSignal): Promise<string | null> {
    const reason = await deps.sandbox.whyNotTraced({ remembered: true })
    signal.throwIfAborted()
    return reason
  }

  /** True if the steps' reads are known, as far as they can be. */
  async function isTraced(
    { deciding }: TreeTests,
    asked: Pick<TreeTestsInput, 'deps'>,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (deciding === undefined) return false
    return !deciding.withoutTracer || (await whyUntraced(asked, signal)) !== null
  }

  /** The results kept under a key; for a base, only if they were traced. */
  async function keptAt(
    key: string,
    { isBase, ...asked }: Pick<TreeTestsInput, 'deps'> & { readonly isBase: boolean },
    signal: AbortSignal,
  ): Promise<TreeTests | null> {
    const kept = await asked.deps.artifacts.testList(key)
    const tests = kept === null ? null : readTests(kept)
    return tests !== null && (!isBase || (await isTraced(tests, asked, signal))) ? tests : null
  }

  return {
    atOnce,
    narrowFromMs,
    async of(asked, signal) {
      const {
        deps,
        input,
        folder,
        commit = input.base,
        name = 'base',
        anew = false,
        untilRed = false,
        notes,
        watch,
      } = asked
      const { config } = input
      const isBase = commit === input.base
      const tree = await deps.history.tree(commit)
      const run = async () => {
        const tracing = isBase ? createTracing(config, await whyUntraced(asked, signal)) : null
        const own = { input: { ...input, commit }, folder, name, tracing: watch ?? tracing, untilRed, notes }
        const { found, status, noted } = await runOn(deps, own, signal)
        const tests = { ...treeTests({ commit, tree, status, found }), ...(noted && { noted }) }
        if (watch !== undefined) return { ...tests, noticed: watch.told() }
        if (tracing === null) return tests
        const deciding = await findDecidingFiles({ deps, commit, config, traced: tracing, signal })
        return { ...tests, deciding, checked: checkedFiles(tracing, found) }
      }
      if (anew) return run()
      const key = await keyOf(deps, tree, input.config, { untilRed, isWatched: watch !== undefined })
      const known = () => keptAt(key, { deps, isBase }, signal)
      const findOrRun = async () => {
        const found = await known()
        if (found !== null) return found
        const tests = await run()
        // A timeout is not kept, since the machine may be faster next time.
        const isCutOff = tests.commands.some(({ timed_out }) => timed_out)
        await deps.artifacts.keepTestList(key, JSON.stringify(tests), { forGood: !isCutOff })
        return tests
      }
      return (await known()) ?? deps.artifacts.alone(`tests/${key}`, findOrRun, signal)
    },
    async known({ deps, input }, signal) {
      const tree = await deps.history.tree(input.base)
      return keptAt(await keyOf(deps, tree, input.config), { deps, isBase: true }, signal)
    },
    async keep(deps, tests, config) {
      await deps.artifacts.keepTestList(await keyOf(deps, tests.tree, config), JSON.stringify(tests), { forGood: true })
    },
  }
}

/** Null for an incompletely written file. */
function readTests(text: string): TreeTests | null {
  const read = parsedJson(text) as Partial<TreeTests> | null | undefined
  return read?.commit && read.commands && read.tests ? (read as TreeTests) : null
}

export function treeTests({
  commit,
  tree,
  status,
  found,
}: Pick<TreeTests, 'commit' | 'tree' | 'status'> & { readonly found: TreeResults }): TreeTests {
  const { rewritten } = found
  const tests = { commit, tree, status, commands: found.commands, tests: Object.fromEntries(found.tests) }
  return rewritten.length > 0 ? { ...tests, rewritten } : tests
}

interface RunningOn {
  readonly input: VerifyInput
  readonly folder: RunFolder
  readonly name: string
  /** Also receives the content of the log. */
  readonly also?: Write
  readonly tracing?: Watch | null
  readonly untilRed?: boolean
  readonly notes?: string | undefined
  /** Finds ids of known failing tests; if given, failing steps are examined. */
  readonly failingOnBase?: Stepping['failingOnBase']
}

/**
 * Runs the steps on a commit other than the verified one, in a folder that is removed afterwards;
 * their output is a log of the verification.
 */
export async function runOn(
  deps: RunTreeDeps,
  { input, folder, name, also, tracing = null, untilRed = false, notes, failingOnBase = null }: RunningOn,
  signal: AbortSignal,
): Promise<{ readonly found: TreeResults; readonly status: 'PASS' | 'FAIL'; readonly noted?: readonly string[] }> {
  const own = await deps.artifacts.openBeside(input.runId, name)
  const log = folder.openLog(`${name}.log`)
  const tail = createOutputTail(limits.tailBytes, limits.tailLines)
  try {
    const write = also === undefined ? log.write : both(log.write, also)
    const writing = { tail, write, log: own.openLog }
    const running = { input, folder: own, ...writing, failingOnBase, tracing, untilRed }
    const { found, ended } = await runTree(deps, running, signal)
    if (ended.status === 'THROWN') throw ended.error
    input.onTree?.({ name, duration_ms: found.commands.reduce((sum, { duration_ms }) => sum + duration_ms, 0) })
    if (ended.status === 'INFRA_ERROR') throw new InfraFailure(ended.infra)
    if (notes === undefined) return { found, status: ended.status }
    const noted = await own.report(`tmp/${notes}`, limits.reach.noteBytes)
    return { found, status: ended.status, noted: noted?.split('\n').filter(Boolean) ?? [] }
  } finally {
    await own.discard()
    log.close()
  }
}

async function keyOf(
  { sandbox, reports }: RunTreeDeps,
  tree: string,
  config: RunConfig,
  { untilRed = false, isWatched = false }: { readonly untilRed?: boolean; readonly isWatched?: boolean } = {},
): Promise<string> {
  const { steps, prepare, services = [], package: folder, writes, sandbox: seen } = config
  const image = await sandbox.image()
  const { os, arch } = sandbox.platform
  const where = [os, arch, sandbox.name, image.ok ? (image.value?.id ?? null) : null]
  const what = [
    'tests 5',
    reports.version(),
    limits.testReport,
    ...where,
    tree,
    steps,
    prepare,
    folder,
    writes,
    seen.readOnlyPaths,
    ...(services.length > 0 ? [{ services }] : []),
    ...(untilRed ? ['until red'] : []),
    ...(isWatched ? ['watched'] : []),
  ]
  return createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 32)
}
