import type { GateDependencies } from './dependencies.ts'
import type { TreeTests } from './tests-of-tree.ts'
import type { VerifyInput } from './verification-place.ts'

/**
 * Runs the steps on the base commit, outside of any verification: once per tree, and kept for every
 * comparison. Rejects with InfraFailure when the steps could not run.
 */
export async function baseVerdict(
  deps: GateDependencies,
  given: Omit<VerifyInput, 'commit' | 'purpose' | 'refactor'>,
  signal: AbortSignal,
): Promise<TreeTests> {
  const input = { ...given, commit: given.base, purpose: 'alone', refactor: false } as const
  const known = await deps.testsOfTrees.known({ deps, input }, signal)
  if (known !== null) return known
  const folder = await deps.artifacts.openRun(input.runId, { ofBase: true })
  try {
    return await deps.testsOfTrees.of({ deps, input, folder }, signal)
  } finally {
    await folder.discard()
  }
}
