import { candidateRefs } from '../../domain/run/kept-work.ts'
import { commitMessage } from '../../domain/story/commit-message.ts'
import { type PendingMove, type Story, slotOf } from '../../domain/story/story.ts'
import { type VerificationData, verificationId } from '../../domain/verification/verification.ts'
import type { Commit } from '../../ports/engine.ts'
import type { DecisionDependencies } from '../lane/dependencies.ts'
import { load } from '../machines.ts'
import type { CommitDependencies } from '../merge/dependencies.ts'
import { lastMerge, type NewMerge } from '../merge/merge-queue.ts'
import { advanceStory } from '../story/advance-story.ts'

/**
 * Creates a verification of the story's change, and the commit to verify, which also lands if the
 * verification is green: `tree` on its base, or the base itself if `tree` is null because nothing
 * was changed.
 */
export async function verificationOf(
  deps: CommitDependencies,
  story: Story,
  tree: string | null,
): Promise<VerificationData> {
  const at = deps.clock.now()
  const runId = verificationId(at, deps.clock.random())
  const commit = tree === null ? story.data.base : await commitChange(deps, { story, tree, runId, at })
  const { base } = story.data
  return { runId, commit, base, checkout: slotOf(story), requestedAt: at.toISOString(), merge: null }
}

interface Committing {
  readonly story: Story
  readonly tree: string
  readonly runId: string
  readonly at: Date
}

async function commitChange(deps: CommitDependencies, { story, tree, runId, at }: Committing): Promise<string> {
  const { base, change, merging } = story.data
  const own = { 'Drydock-Story': story.id, 'Verified-By': runId }
  return deps.history.commit({
    tree,
    parents: merging === null ? [base] : [base, merging.candidate],
    message: commitMessage({ summary: change?.summary ?? '', own, added: deps.trailers }),
    author: await deps.userRepository.author(),
    signed: true,
    ref: `${candidateRefs(story.id)}${runId}`,
    at,
  })
}

/** The verification or merge that a story requests again after an infrastructure failure. */
export type AskedAgain = { readonly verification: VerificationData } | { readonly merge: NewMerge } | object

/**
 * The request of the story's pending move: its submitted change, committed with the name of the new
 * verification, or the approved commit. Empty for any other move.
 */
export async function askedAgain(deps: CommitDependencies, story: Story): Promise<AskedAgain> {
  const { from, event } = story.data.pending ?? {}
  if (event === 'change_submitted') return { verification: await againOf(deps, story) }
  return from === 'CODE_REVIEW' && event === 'approved' ? { merge: await lastMerge(deps.store, story) } : {}
}

/** The pending move of a story that a person has allowed, while it waits for a slot. */
const allowedOnce: PendingMove = { from: 'ESCALATED', event: 'allowed', answer: null, notes: null }

/**
 * Verifies the last submitted change again, after a person has allowed its failures. If the host of
 * its slot is gone, the story first waits for another slot.
 */
export async function verifyAgain(
  deps: CommitDependencies & DecisionDependencies,
  id: string,
  commit: Commit,
): Promise<void> {
  const story = await load(deps.store, 'story', id)
  if (story.data.slot === null) {
    await commit(async (tx) => {
      await advanceStory(tx, deps, story, { event: 'workspace_lost', data: { pending: allowedOnce } })
    })
    return
  }
  const data = await againOf(deps, story)
  await commit(async (tx) => {
    await tx.edit(story, {})
    const { run, story: name } = story
    await tx.create({ id: data.runId, kind: 'verification', run, story: name, data }, 'queue')
  })
}

/** Uses the submitted tree, since the workspace may have changed. */
async function againOf(deps: CommitDependencies, story: Story): Promise<VerificationData> {
  const all = await deps.store.machines({ kind: 'verification', run: story.run })
  const last = all.findLast((each) => each.story === story.story && each.data.merge === null)
  if (!last?.data.commit) throw new Error(`no change of ${story.id} was handed in`)
  const { commit, base } = last.data
  return verificationOf(deps, story, commit === base ? null : await deps.history.tree(commit))
}
