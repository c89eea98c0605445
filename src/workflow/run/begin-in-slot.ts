import { DrydockError } from '../../domain/drydock-error.ts'
import { followedBy, type RunRequest } from '../../domain/run/run.ts'
import { onlyStory } from '../../domain/story/name-of.ts'
import { newStory, type Story } from '../../domain/story/story.ts'
import { verificationId } from '../../domain/verification/verification.ts'
import type { Transaction } from '../../ports/store.ts'
import { beginAcceptance } from '../architect/acceptance/begin-acceptance.ts'
import { storyId } from '../machines.ts'
import { attachWaiting } from '../remark/attach-remarks.ts'
import { reviewsWithRemarks, tipOf } from '../remark/follow-up.ts'
import { queueRested } from '../rest/queue-rested.ts'
import { openQuery } from '../scout/ask-scout.ts'
import type { StoryDependencies } from '../story/dependencies.ts'
import { moveStory } from '../story/move-story.ts'
import { setUpElsewhere } from '../story/move-workspaces.ts'
import { prepareWorkspace } from '../story/set-up-story.ts'
import { tellingProgress } from '../story/tell-progress.ts'
import { isElsewhere } from '../story/workspace.ts'
import type { Beginning, FirstWork } from './beginning.ts'
import type { StartDependencies } from './dependencies.ts'

type TaskRequest = Extract<RunRequest, { readonly kind: 'task' }>
type InSlot = Beginning<TaskRequest | Extract<RunRequest, { readonly kind: 'verify' | 'scout' }>>
type Deps = Pick<StartDependencies, 'userRepository'> & StoryDependencies

/** Starts or restores the only work of a Run that holds its slot itself. */
export async function beginInSlot(deps: Deps, beginning: InSlot, signal: AbortSignal): Promise<FirstWork> {
  const { run, request, pins, stories } = beginning
  const { slot, unkept, rest } = run.data
  if (slot === null) throw new Error(`run ${run.id} has no slot`)
  const [story = null] = stories
  const followed = followedBy(run)
  // The work would not fit onto commits that others have added since.
  if (followed !== null && story !== null && story.state !== 'DONE') await tipOf(deps, followed)
  const isFresh = run.data.base === null || story?.state === 'QUEUED'
  const returned = story && !isFresh ? { ...story, data: { ...story.data, slot } } : null
  const isAway = await isElsewhere(deps, slot)
  if (isAway) {
    if (request.kind === 'scout' && !isFresh) throw cannotGoOn()
  } else if (returned && !unkept) await prepareWorkspace(deps, returned, signal)
  else if (!isFresh && request.kind === 'scout')
    await tellingProgress(deps, { run: run.id, story: null }, (onProgress) =>
      deps.workTrees.prepare({ slot, tip: pins.base, onProgress }, signal),
    )
  // Only this host has the user's files.
  const commit =
    request.kind === 'verify' ? ((isAway ? await userTree(deps, beginning) : null) ?? request.commit) : null
  return {
    move: async (_tx, { data: { base, branch } }) => ({ event: 'started', log: { base, branch, slot }, next: 'rest' }),
    async work(tx, started) {
      if (isFresh) return startWork(deps, tx, { ...beginning, run: started, slot, commit })
      if (returned) await (isAway ? setUpElsewhere(tx, deps, { run: started, story: returned }) : tx.edit(returned, {}))
      await queueRested(tx, rest?.machines ?? [])
    },
  }
}

/** The commit to verify: the user's present files, if no commit was named. */
async function userTree({ userRepository, clock }: Deps, { run, request }: InSlot): Promise<string | null> {
  if (request.kind !== 'verify' || request.commit !== null) return null
  return (await userRepository.snapshotUserTree(`refs/drydock/verify/${run.data.slot}`, clock.now())).sha
}

function cannotGoOn(): DrydockError {
  return new DrydockError('host_gone', 'The slot of this question is on another machine now.', {
    todo: 'Ask again: drydock scout',
  })
}

interface Start extends InSlot {
  readonly slot: string
  /** The commit of a verification; null for the user's files. */
  readonly commit: string | null
}

async function startWork({ clock }: Pick<Deps, 'clock'>, tx: Transaction, starting: Start): Promise<void> {
  const { run, request, slot, pins, stories, commit } = starting
  switch (request.kind) {
    case 'task': {
      // A story that is QUEUED is being retried.
      const story = stories[0] ?? (await insertStory(tx, starting, request))
      await moveStory(tx, clock, story, { event: 'slot_assigned', data: { slot } })
      return
    }
    case 'verify': {
      const now = clock.now()
      const runId = verificationId(now, clock.random())
      const asked = { runId, commit, base: pins.base, checkout: slot, requestedAt: now.toISOString(), merge: null }
      await tx.create({ id: runId, kind: 'verification', run: run.id, story: null, data: asked }, 'queue')
      return
    }
    case 'scout': {
      const { scout, question } = request
      await openQuery(tx, run.id, null, {
        scout,
        question,
        story: 'task',
        n: 1,
        attempt: 1,
        problems: [],
        slot,
        asker: null,
      })
      return
    }
    default:
      throw new Error(`unknown request ${request satisfies never}`)
  }
}

async function insertStory(
  tx: Transaction,
  { run, slot, pins }: Start,
  { task, dryRun, follows }: TaskRequest,
): Promise<Story> {
  const fresh = newStory({ name: follows?.name ?? 'task', task, planned: null, dryRun, base: pins.base, slot })
  const data = follows === undefined ? fresh : { ...fresh, reviews: await reviewsWithRemarks(tx, fresh, follows) }
  const id = storyId(run.id, onlyStory)
  const created = await tx.create({ id, kind: 'story', run: run.id, story: onlyStory, data }, 'rest')
  await beginAcceptance(tx, run, created)
  // People may have made remarks while the task waited for its slot.
  return follows === undefined ? attachWaiting(tx, created) : created
}
