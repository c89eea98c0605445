import type { Merge } from '../../domain/merge/merge.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Story } from '../../domain/story/story.ts'
import type { VerifierResponse } from '../../domain/verification/verdict.ts'
import { verificationId } from '../../domain/verification/verification.ts'
import { acceptanceOf, testsOf } from '../architect/acceptance/story-tests.ts'
import type { Decision } from '../lane/decision.ts'
import type { CommitDependencies } from './dependencies.ts'
import { attemptOf, commitMerged, mergeCheckout } from './merge-story.ts'

interface Green {
  readonly run: Run
  readonly merge: Merge
  readonly story: Story
  readonly sha: string
  readonly response: VerifierResponse
}

/**
 * Verifies the green merged commit again with its acceptance tests, which the user wants in the
 * repository. Null if none are to be added, or if they were tried already.
 */
export async function withTests(
  deps: CommitDependencies,
  { run, merge, story, sha, response }: Green,
): Promise<Decision | null> {
  if (merge.data.plain != null || run.data.config?.acceptanceFiles !== 'add') return null
  const acceptance = await acceptanceOf(deps.store, story)
  if (acceptance === null || acceptance.data.digest === null) return null
  const { files } = await testsOf(deps, acceptance)
  const contents = files.map(({ path, content }) => ({ path, content: Buffer.from(content, 'base64') }))
  const tree = await deps.history.treeWith({ base: sha, from: sha, paths: [], files: contents })
  const now = deps.clock.now()
  const runId = verificationId(now, deps.clock.random())
  const commit = await commitMerged(deps, { merge, story, tree, runId })
  const { tip: base } = attemptOf(merge)
  const verification = { runId, commit, base, checkout: mergeCheckout, requestedAt: now.toISOString(), merge: merge.id }
  return [{ type: 'verify_added', merge, plain: { commit: sha, runId: response.run_id }, verification }]
}
