import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createTestReports } from '../../src/adapters/test-reports/create.ts'
import type { WrittenTests } from '../../src/domain/acceptance/acceptance-tests.ts'
import type { VerifierResponse } from '../../src/domain/verification/verdict.ts'
import { verificationId } from '../../src/domain/verification/verification.ts'
import { tryOnBase as tryTestsOnBase } from '../../src/gate/acceptance/try-on-base.ts'
import { baseVerdict } from '../../src/gate/base-verdict.ts'
import { createDependencyLayers } from '../../src/gate/layers/dependency-layers.ts'
import { createTestsOfTrees } from '../../src/gate/tests-of-tree.ts'
import { verify } from '../../src/gate/verifier.ts'
import type { Artifacts } from '../../src/ports/artifacts.ts'
import type { Sandbox } from '../../src/ports/sandbox.ts'
import { createMemoryArtifacts } from '../world/artifacts.ts'
import { userName } from '../world/git/repository.ts'
import { createMemoryGit } from '../world/git.ts'
import { memoryNode } from '../world/node.ts'
import { file, textOf, treeOf } from '../world/objects.ts'
import { createProcess } from '../world/process.ts'
import { createScriptedSandbox, type Program } from '../world/sandbox.ts'
import { configOf, type VerifierInput } from './verifier-world.ts'

/** `sh FILE`: runs the script's lines that call `node` or another script, and skips all others. */
const memoryShell: Program = async (seen, [path = '']) => {
  const script = seen.read(path)
  if (script === null) return { exitCode: 2, output: `sh: 0: cannot open ${path}\n` }
  let ended = { exitCode: 0, output: '' }
  for (const line of script.split('\n')) {
    const [name, ...args] = (line.split(/ > | && | \|\| /)[0] ?? '').trim().split(' ')
    const program = { node: memoryNode, sh: memoryShell }[name ?? '']
    if (program === undefined) continue
    const ran = await program(
      seen,
      args.filter((each) => each !== '.'),
    )
    if (typeof ran === 'number' || ran.exitCode === null) continue
    ended = { exitCode: ran.exitCode, output: ended.output + (line.includes(' > ') ? '' : (ran.output ?? '')) }
  }
  return ended
}

type Change = Readonly<Record<string, string | null>>
export type MemoryGate = ReturnType<typeof makeMemoryGate>

/**
 * A repository and the gate in memory: the steps are functions, and `node` runs the tree's tests in
 * the process of the suite. Reads of steps are only traced if `traces` is set. The gate itself is
 * the real one.
 */
export function makeMemoryGate(
  files: Readonly<Record<string, string>> = { 'value.txt': 'old\n' },
  programs: Readonly<Record<string, Program>> = {},
  { traces = false }: { readonly traces?: boolean } = {},
) {
  const git = createMemoryGit('/memory/state')
  const { objects, history, workTrees, disk } = git
  git.mirror.exists = true
  const at = new Date('2026-11-03T10:00:00Z')
  const commitTree = (tree: ReadonlyMap<string, ReturnType<typeof file>>, parents: readonly string[]) =>
    git.mirror.make({ tree: objects.putTree(tree), parents: [...parents], message: 'a commit', at, author: userName })
  const tip = commitTree(treeOf(files), [])
  const clock = createSystemClock()
  const lists = new Map<string, string>()
  const artifacts: Artifacts = {
    ...createMemoryArtifacts('/memory/artifacts', disk, String),
    testList: async (key) => lists.get(key) ?? null,
    async keepTestList(key, text, { forGood }) {
      if (forGood) lists.set(key, text)
    },
  }
  const all = { node: memoryNode, sh: memoryShell, ...programs }
  const sandbox = createScriptedSandbox({ disk, checkouts: git.checkouts, programs: all, traces }).of(createProcess())
  const newRunId = () => verificationId(clock.now(), clock.random())
  const signal = new AbortController().signal
  const folder = (runId: string) => `/memory/artifacts/runs/${runId}`

  function depsOf(chosen: Sandbox, { atOnce = 1, narrowFromMs }: Pick<VerifierInput, 'atOnce' | 'narrowFromMs'> = {}) {
    const parts = { history, workTrees, sandbox: chosen, artifacts, shared: null }
    return {
      ...parts,
      clock,
      layers: createDependencyLayers(parts),
      reports: createTestReports(),
      testsOfTrees: createTestsOfTrees({ atOnce, narrowFromMs }),
    }
  }
  const usual = depsOf(sandbox)

  function commitOf(change: Change, on = tip): string {
    const tree = new Map(objects.tree(on))
    for (const [path, content] of Object.entries(change)) {
      if (content === null) tree.delete(path)
      else tree.set(path, file(content))
    }
    return commitTree(tree, [on])
  }

  return {
    tip,
    signal,
    history,
    workTrees,
    sandbox,
    artifacts,
    /** The permanently stored lists of tests, by key. */
    lists,
    newRunId,
    /** A commit on the base, or on `on`, with these files; null deletes a file. */
    commitOf,
    commitChange: (change: Change) => commitOf(change),
    ask(asked: string | VerifierInput): Promise<VerifierResponse> {
      const more: Omit<VerifierInput, 'steps'> = typeof asked === 'string' ? {} : asked
      const input = {
        runId: more.runId ?? newRunId(),
        commit: more.commit ?? tip,
        base: more.base ?? tip,
        isFromStart: false,
        checkout: more.checkout ?? 'coder-001',
        config: configOf(asked),
        onPrepare: async () => undefined,
        purpose: more.purpose ?? 'alone',
        refactor: more.refactor ?? false,
        at: '2026-11-03T11:00:00.000Z',
        acceptance: more.acceptance ?? null,
        criteria: more.criteria ?? null,
      }
      const { readers } = more
      const isUsual = !more.sandbox && !more.atOnce && more.narrowFromMs === undefined
      const deps = isUsual ? usual : depsOf(more.sandbox ?? sandbox, more)
      const reports = readers === undefined ? deps.reports : { ...deps.reports, version: () => readers }
      return verify({ ...deps, reports }, input, more.signal ?? signal)
    },
    /** Runs the steps on the base commit, outside any verification. */
    runBase: (asked: VerifierInput) =>
      baseVerdict(
        usual,
        {
          runId: newRunId(),
          base: tip,
          isFromStart: false,
          checkout: 'base',
          config: configOf(asked),
          onPrepare: async () => undefined,
          at: '2026-11-03T11:00:00.000Z',
        },
        signal,
      ),
    /** Problems of an architect's tests on the base commit. */
    tryOnBase(tests: WrittenTests, asked: VerifierInput) {
      const where = { runId: newRunId(), base: tip, isFromStart: false, checkout: 'acceptance' }
      return tryTestsOnBase(usual, { ...where, config: configOf(asked), at: '2026-11-03T11:00:00.000Z', tests }, signal)
    },
    textOf(commit: string, path: string): string | null {
      const found = objects.tree(commit).get(path)
      return found === undefined ? null : textOf(found)
    },
    read(runId: string, path: string): string {
      const found = disk.get(folder(runId))?.get(path)
      if (found === undefined) throw new Error(`${runId} has no ${path}`)
      return textOf(found)
    },
    /** The folders of verifications that still exist. */
    left: () =>
      [...disk.keys()].filter((path) => path.startsWith('/memory/artifacts/runs/')).map((path) => path.slice(23)),
    close() {},
  }
}
