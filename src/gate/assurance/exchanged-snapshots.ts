import { changedLines } from '../../domain/gate/changed-lines.ts'
import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { type ChangeComparison, type ComparingDeps, contentsOf, diffOf } from '../findings/compared-files.ts'
import type { VerifyInput } from '../verification-place.ts'

interface SnapshotExchange extends Pick<ChangeComparison, 'base' | 'change' | 'files'> {
  readonly input: Pick<VerifyInput, 'runId'>
  /** Changed snapshot files. */
  readonly snapshots: readonly string[]
  /** Ids of old tests that pass with the new snapshots, and fail with the old ones. */
  readonly byThem: readonly string[]
}

/** Reports the lines of snapshots that the old tests now compare with, if nothing else differs. */
export async function exchangedSnapshots(
  deps: ComparingDeps,
  { base, change, files, input, snapshots, byThem }: SnapshotExchange,
): Promise<Suspicion> {
  const lines: string[] = []
  for (const path of snapshots) {
    const diff = await diffOf(deps, { base, change, file: { path, status: 'modified' } })
    lines.push(...changedLines(diff))
  }
  const [file = ''] = snapshots.length === 1 ? snapshots : []
  const what = file === '' ? `${snapshots.length} snapshots expect` : `${file} expects`
  const count =
    byThem.length === 1 ? 'a test that passed before passes' : `${byThem.length} tests that passed before pass`
  return {
    kind: 'expectation_changed',
    file,
    claim: `On the new sources ${count} by another snapshot alone: ${what} something else now.`,
    evidence: `${listed(lines)}\nin\n${listed(byThem)}\nlogs/hybrid-snapshots.log of ${input.runId}`,
    identity: [...byThem.toSorted(), ...(await contentsOf(deps, { base, change, files }))],
  }
}
