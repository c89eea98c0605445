import { DrydockError } from '../../domain/drydock-error.ts'
import { type Merge, type MergeData, nextMerge } from '../../domain/merge/merge.ts'
import { repositoryOf, runIn } from '../../domain/run/repositories.ts'
import { isHeld, type Run } from '../../domain/run/run.ts'
import type { RunModels } from '../../domain/run/run-models.ts'
import { allInTurn, sharesOf } from '../../domain/share/in-turn.ts'
import type { Story } from '../../domain/story/story.ts'
import { endStates } from '../../domain/story/story-machine.ts'
import { verificationId } from '../../domain/verification/verification.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Records, Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { load, requireStory, storiesOf } from '../machines.ts'
import { partyOf } from '../run/slot-shares.ts'

/** For followers: the reason why a merge returned to its editor. */
export interface ReturnReason {
  readonly conflicts: readonly string[]
  readonly findings?: readonly string[]
}

/** An approved commit for the merge queue, with its approver. */
export interface NewMerge {
  readonly candidate: string
  readonly reviewer: string
}

/** The merge that was requested at the story's last approval. */
export async function lastMerge(records: Pick<Records, 'machines'>, { id, run, story }: Story): Promise<NewMerge> {
  const last = (await records.machines({ kind: 'merge', run })).findLast((merge) => merge.story === story)
  if (last === undefined) throw new Error(`${id} was never to be merged`)
  return { candidate: last.data.candidate, reviewer: last.data.reviewer }
}

/**
 * Puts an approved story at the end of the queue; its caller then checks whether it is next
 * (`startNextMerge`).
 */
export async function joinMergeQueue(tx: Transaction, story: Story, merge: NewMerge): Promise<void> {
  const n = (await tx.machines({ kind: 'merge', run: story.run })).length + 1
  const data: MergeData = { ...merge, name: story.data.name, attempt: null, commit: null }
  const { run, story: name } = story
  await tx.create({ id: `${run}/merge/${n}`, kind: 'merge', run, story: name, data }, 'rest')
}

/**
 * Allows one merge at a time in the whole state. Users and their Runs take turns; the stories of a
 * Run merge in order of approval, or in the order that its recording demands.
 */
export async function startNextMerge(
  tx: Transaction,
  { clock, model, scope }: Pick<WorkflowDependencies, 'clock' | 'model' | 'scope'>,
): Promise<void> {
  if ((await tx.machines({ kind: 'merge', states: ['MERGING'] })).length > 0) return
  const queued = (await tx.machines({ kind: 'merge', states: ['QUEUED'] })).filter(({ run }) => scope.has(run))
  for (const run of await runsInTurn(tx, [...new Set(queued.map(({ run }) => run))])) {
    const { id, state, data } = run
    if (state !== 'MONITORING' || isHeld(run) || data.models === null) continue
    const order = recordedOrder(model, data.models)
    const stories = await storiesOf(tx, id)
    const ended = stories.filter((story) => endStates.includes(story.state))
    const next = nextMerge(
      queued.filter(({ run }) => run === id).map((merge) => ({ name: merge.story ?? '', merge })),
      {
        order: order.filter((name) => canCome(stories, name)),
        settled: new Set(ended.map(({ story }) => story ?? '')),
      },
    )
    if (next === null) continue
    const story = await requireStory(tx, next.merge)
    const { tip } = runIn(run, repositoryOf(story)).data
    if (tip !== null) return start(tx, clock, { merge: next.merge, tip })
  }
}

/** Puts the Run first that has waited longest since its last merge, or since its request. */
async function runsInTurn(tx: Transaction, ids: readonly string[]): Promise<readonly Run[]> {
  const runs = await Promise.all(ids.map((id) => load(tx, 'run', id)))
  if (runs.length < 2) return runs
  const taking = await Promise.all(
    runs.map(async (run) => {
      const [last] = await tx.recentEvents({ run: run.id, types: ['merge', 'run'], limit: 1 })
      return { ...partyOf(run), run, holds: 0, turn: last?.id }
    }),
  )
  const turns = { shares: sharesOf(taking), now: await tx.lastEvent(), caps: [] }
  return allInTurn(taking, turns).map(({ run }) => run)
}

/**
 * True if a story may still come to the merge queue. A story that is missing, or that itself waits
 * for another, does not hold up others.
 */
function canCome(stories: readonly Story[], name: string): boolean {
  const story = stories.find((each) => each.story === name)
  return story !== undefined && story.state !== 'QUEUED' && story.state !== 'BLOCKED'
}

/**
 * A missing model demands no order: its own Run will report it, and no other Run may fail for it.
 */
function recordedOrder(model: WorkflowDependencies['model'], { architect, editor }: RunModels): readonly string[] {
  try {
    return model(architect ?? editor).script?.mergeOrder ?? []
  } catch (error) {
    if (error instanceof DrydockError) return []
    throw error
  }
}

/**
 * Pins all inputs of the merge's commit, so that repeating it after a crash creates the same
 * commit.
 */
async function start(
  tx: Transaction,
  clock: Clock,
  { merge, tip }: { readonly merge: Merge; readonly tip: string },
): Promise<void> {
  const now = clock.now()
  // A merge that its Run had to leave may have moved the branch already, to exactly this commit.
  const { attempt: before, plain = null } = merge.data
  // A merge that was interrupted while adding its tests starts again.
  const begun = before?.tip === tip && plain === null ? before : null
  const attempt = begun ?? { tip, runId: verificationId(now, clock.random()), at: now.toISOString() }
  const data = { attempt, ...(plain !== null && { plain: null }) }
  const started = await tx.move(merge, 'started', { data, next: 'queue' })
  await appendMerge(tx, started)
}

/**
 * Requeues the merges of a Run on which this process does not work, so that they do not block other
 * Runs.
 */
export async function leaveMerges(tx: Transaction, run: string): Promise<void> {
  await tx.drop(run, await requeueMerges(tx, run))
}

/**
 * Requeues the merge of a Run that rests, with its progress. Returns the machines that now have no
 * next step.
 */
export async function requeueMerges(tx: Transaction, run: string): Promise<ReadonlySet<string>> {
  const requeued = new Set<string>()
  for (const verification of await tx.machines({ kind: 'verification', run, states: ['REQUESTED'] })) {
    if (verification.data.merge === null) continue
    requeued.add(verification.id)
    await tx.move(verification, 'cancelled', { next: 'rest' })
  }
  for (const merge of await tx.machines({ kind: 'merge', run, states: ['MERGING'] })) {
    requeued.add(merge.id)
    await tx.move(merge, 'requeued', { next: 'rest' })
  }
  return requeued
}

export async function appendMerge(
  tx: Transaction,
  { run, story, state, data }: Merge,
  why?: ReturnReason,
): Promise<void> {
  const facts = data.commit === null ? {} : { sha: data.commit }
  await tx.appendEvent({ run, story, type: 'merge', data: { state, ...facts, ...why } })
}
