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

/** For those who follow it: why a merge was sent back to its editor. */
export interface WhyReturned {
  readonly conflicts: readonly string[]
  readonly findings?: readonly string[]
}

/** What is to be merged: an approved commit, and who approved it. */
export interface NewMerge {
  readonly candidate: string
  readonly reviewer: string
}

/** The merge that was wanted of the story when it was approved last. */
export async function lastMerge(records: Pick<Records, 'machines'>, { id, run, story }: Story): Promise<NewMerge> {
  const last = (await records.machines({ kind: 'merge', run })).findLast((merge) => merge.story === story)
  if (last === undefined) throw new Error(`${id} was never to be merged`)
  return { candidate: last.data.candidate, reviewer: last.data.reviewer }
}

/**
 * Puts an approved story at the end of the queue; whoever commits this looks whether it is next
 * (`startNextMerge`).
 */
export async function joinMergeQueue(tx: Transaction, story: Story, merge: NewMerge): Promise<void> {
  const n = (await tx.machines({ kind: 'merge', run: story.run })).length + 1
  const data: MergeData = { ...merge, name: story.data.name, attempt: null, commit: null }
  const { run, story: name } = story
  await tx.create({ id: `${run}/merge/${n}`, kind: 'merge', run, story: name, data }, 'rest')
}

/**
 * One merge at a time in the whole state. Users and their Runs merge in turn; the stories of a Run
 * do so in order of approval, or in the order that the Run's recording demands.
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

/** First the Run that has waited longest since its last merge, or since it was asked for. */
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

/** Nobody waits for a story that is not there, or that itself waits for another. */
function canCome(stories: readonly Story[], name: string): boolean {
  const story = stories.find((each) => each.story === name)
  return story !== undefined && story.state !== 'QUEUED' && story.state !== 'BLOCKED'
}

/**
 * A model that is no longer there demands none: its own Run will say so, and no other may fail for
 * it.
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
 * Everything that the merge's commit is made from is pinned: done again after a crash, it is the
 * same commit.
 */
async function start(
  tx: Transaction,
  clock: Clock,
  { merge, tip }: { readonly merge: Merge; readonly tip: string },
): Promise<void> {
  const now = clock.now()
  // One that its Run had to leave may have moved the branch already, to exactly this commit.
  const { attempt: before, plain = null } = merge.data
  // Interrupted while its tests were added, it begins anew.
  const begun = before?.tip === tip && plain === null ? before : null
  const attempt = begun ?? { tip, runId: verificationId(now, clock.random()), at: now.toISOString() }
  const data = { attempt, ...(plain !== null && { plain: null }) }
  const started = await tx.move(merge, 'started', { data, next: 'queue' })
  await appendMerge(tx, started)
}

/** This process does not work on the Run: what it is merging must not be in the way of others. */
export async function leaveMerges(tx: Transaction, run: string): Promise<void> {
  await tx.drop(run, await requeueMerges(tx, run))
}

/**
 * A Run rests in the middle of a merge: it goes back to the queue, as far as it got. Returns the
 * machines that have no next step for that.
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
  why?: WhyReturned,
): Promise<void> {
  const facts = data.commit === null ? {} : { sha: data.commit }
  await tx.appendEvent({ run, story, type: 'merge', data: { state, ...facts, ...why } })
}
