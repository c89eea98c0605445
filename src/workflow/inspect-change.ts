import type { AssuranceFacts } from '../domain/assurance.ts'
import type { GateFinding, Integrity } from '../domain/gate-finding.ts'
import { failingIn, isGreen } from '../domain/reruns.ts'
import type { RunFolder } from '../ports/artifacts.ts'
import { inheritDeciders } from './assurance/inherited-deciders.ts'
import { inRewritten } from './assurance/rewritten-files.ts'
import { tryCanaries } from './assurance/try-canaries.ts'
import { kindsOf, tryHybrid } from './assurance/try-hybrid.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import { findWeakening, withId } from './gate-findings.ts'
import { proveTests } from './prove-tests.ts'
import type { Found, RunTreeDeps } from './run-tree.ts'
import { type TreeTests, treeTests } from './tests-of-tree.ts'
import type { VerifyInput } from './verification-place.ts'

type Deps = RunTreeDeps & Pick<WorkflowDependencies, 'testsOfTrees'>

export interface Inspecting {
  readonly input: VerifyInput
  readonly tree: string
  readonly folder: RunFolder
  readonly found: Found
  /** The tests of the base commit. */
  readonly base: () => Promise<TreeTests>
}

export interface Inspected {
  /** Null when the steps do not hear a failing test: then their green says nothing. */
  readonly integrity: Integrity | null
  readonly facts: AssuranceFacts
}

/** What a green change does to the gate itself, and whether its tests would fail without it; null where nobody would act on it. */
export async function inspectChange(
  deps: Deps,
  { input, tree, folder, found, base }: Inspecting,
  signal: AbortSignal,
): Promise<Inspected | null> {
  const { purpose, config, commit } = input
  if (purpose === 'alone' || purpose === 'slice') return null
  if (tree === (await deps.workspaces.tree(input.base))) return null
  // Green does not mean that no step failed: its failures may be allowed.
  const isAllGreen = found.commands.every((each) => isGreen(each, found.tests.get(each.name) ?? null))
  const status = isAllGreen ? 'PASS' : 'FAIL'
  const change = treeTests({ commit, tree, status, found })
  const [before, files] = await Promise.all([base(), deps.workspaces.changedFiles(input.base, commit)])
  if (purpose === 'merge') {
    const deciding = await inheritDeciders(deps, { base: before, change, files, config }, signal)
    // The next stories are compared with what is merged.
    await deps.testsOfTrees.keep(deps, { ...change, ...deciding }, config)
  }
  const weakened = await findWeakening(deps, { base: before, change, config, files }, signal)
  const { told, kindOf } = kindsOf(files, config, new Set(before.deciding?.files.map(({ path }) => path)))
  const trying = { input, folder, base: before, change, files, kindOf, flaky: found.flaky }
  const facts: AssuranceFacts[] = [{ files: told }]
  const rewritten = inRewritten(before.rewritten ?? [], change.rewritten ?? [], kindOf)
  const findings: GateFinding[] = [...weakened, ...rewritten.map(withId)]
  if ((config.assurance ?? 'full') !== 'fast') {
    const { canaries, found: deaf } = await tryCanaries(deps, trying, signal)
    facts.push({ canaries })
    if (canaries.status === 'deaf') return { integrity: null, facts: Object.assign({}, ...facts) }
    findings.push(...deaf.map(withId))
    const { hybrid, found: lost } = await tryHybrid(deps, trying, signal)
    facts.push({ hybrid })
    findings.push(...lost.map(withId))
  }
  const all: AssuranceFacts = Object.assign({}, ...facts)
  if (purpose === 'merge') return { integrity: { findings }, facts: all }
  const proof = await proveTests(deps, { input, folder, base: before, change, files }, signal)
  if (proof.status === 'not_proven') findings.push(unproven(input.runId, tree))
  return { integrity: { findings, proof }, facts: all }
}

function unproven(runId: string, tree: string): GateFinding {
  return withId({
    ...{ kind: 'no_proof', file: '' },
    claim:
      'The new tests pass without the change: they were run against the sources of the base commit, and none failed.',
    evidence: `logs/proof.log of ${runId}`,
    identity: [tree],
  })
}

/** Ids of the tests that fail on the base commit; where nothing was changed, those that have just failed. */
export async function failingOnBase(
  { workspaces }: Pick<RunTreeDeps, 'workspaces'>,
  { input, tree, found, base }: Inspecting,
): Promise<ReadonlySet<string>> {
  const isBase = tree === (await workspaces.tree(input.base))
  const reports = isBase ? [...found.tests.values()] : Object.values((await base()).tests)
  return new Set(reports.flatMap(failingIn))
}
