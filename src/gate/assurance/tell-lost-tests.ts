import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { limits } from '../../domain/limits.ts'
import type { Hybrid, LostTests } from '../../domain/verification/assurance.ts'
import { contentsOf } from '../findings/compared-files.ts'
import { exchangedSnapshots } from './exchanged-snapshots.ts'
import { filesBehind } from './files-behind.ts'
import { isNamed } from './lost-between.ts'
import type { VariantDeps } from './run-variant.ts'
import type { Trying } from './trying.ts'

export interface HybridTrial {
  readonly hybrid: Hybrid
  readonly found: readonly Suspicion[]
}

/** Lost tests, with the runner's message for each failure by the test's id. */
export interface Lost extends LostTests {
  readonly why: ReadonlyMap<string, string>
}

interface LosingTests extends Trying {
  /** Changed sources with the content of the base. */
  readonly kept?: readonly string[]
}

/** All lost tests, and those that stay lost with the change's snapshots. */
export interface LossExplanation {
  readonly all: Lost
  readonly lost: Lost
  readonly snapshots: readonly string[]
  readonly byThem: readonly string[]
}

/** Turns lost tests into findings, with the files that they are lost by. */
export async function tellLostTests(
  deps: VariantDeps,
  trying: LosingTests,
  explained: LossExplanation,
  signal: AbortSignal,
): Promise<HybridTrial> {
  const { input, base, change, files, kindOf, kept = [] } = trying
  const { all, snapshots, byThem } = explained
  const { failing, unrun, asked, greened, why } = explained.lost
  const ids = [...failing, ...unrun]
  const what = isNamed(base) ? 'tests' : 'steps'
  const isBuilt = unrun.length < asked
  const claim = isBuilt
    ? `With the tests and the configuration of the base commit, the new sources fail ${ids.length} of ${asked} ${what} that passed before.`
    : `The tests of the base commit cannot run on the new sources: none of the ${asked} that passed before did.`
  const withFailure = (id: string) => (why.has(id) ? `${id}: ${why.get(id)?.split('\n')[0]}` : id)
  const lines = [...failing.map(withFailure), ...unrun.map((id) => `${id}: did not run`)]
  const judged = files.filter(({ path, from = path }) => [path, from].some((each) => kindOf(each) !== 'other'))
  const contents = await contentsOf(deps, { base, change, files: judged })
  const support = kept.length === 0 ? '' : `\nas the base commit has them:\n${listed(kept)}`
  const log = `logs/hybrid${kept.length === 0 ? '' : '-support'}.log of ${input.runId}${support}`
  const found: Suspicion[] = []
  if (ids.length > 0)
    found.push({
      kind: 'behaviour_changed',
      file: '',
      claim,
      evidence: `${listed(lines)}\n${log}`,
      identity: [...ids.toSorted(), ...contents],
    })
  if (greened.length > 0) {
    const behind = await filesBehind(deps, { ...trying, greened }, signal)
    const [file = ''] = behind.length === 1 ? behind : []
    const because =
      behind.length === 0 ? '' : `\nwith the base commit’s version of one of these they fail:\n${listed(behind)}`
    found.push({
      kind: 'expectation_changed',
      file,
      evidence: `${listed(greened.map(withFailure))}${because}\n${log}`,
      claim: `Of the tests that failed on the base commit ${greened.length} pass by the change’s tests, fixtures or configuration alone: with the base commit’s they still fail.`,
      identity: [...greened.toSorted(), ...contents],
    })
  }
  if (byThem.length > 0) found.push(await exchangedSnapshots(deps, { ...trying, snapshots, byThem }))
  const lost = [...all.failing, ...all.unrun]
  if (lost.length === 0) return { hybrid: { status: 'held', failing: [] }, found }
  const status = isBuilt ? 'behaviour_changed' : 'not_built'
  return { hybrid: { status, failing: lost.slice(0, limits.gate.ids) }, found }
}
