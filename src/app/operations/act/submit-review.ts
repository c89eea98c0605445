import { randomBytes, randomUUID } from 'node:crypto'
import { actRoutes } from '../../../api/act-routes.ts'
import type { Command } from '../../../domain/command.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import type { NewRemark } from '../../../domain/remark/remark.ts'
import { remarkSize } from '../../../domain/remark/remark-findings.ts'
import { groundOf } from '../../../domain/run/ground.ts'
import { repositoriesOf, repositoryOf, runIn } from '../../../domain/run/repositories.ts'
import { followedBy, isEnded } from '../../../domain/run/run.ts'
import { storyElsewhere } from '../../../domain/run/story-elsewhere.ts'
import type { Records } from '../../../ports/store.ts'
import { authorOf } from '../../commands/author-of.ts'
import { checkRemark } from '../../commands/check-remark.ts'
import { givenRemarks } from '../../commands/given-remarks.ts'
import type { Installation } from '../../installation.ts'
import { reading } from '../../reading.ts'
import type { RecordSource } from '../../state-access.ts'
import { usage } from '../../usage.ts'
import { checkCommit } from '../../views/diff/check-commit.ts'
import { findWork, isBuilt, type Work } from '../../views/find/find-work.ts'
import { readReview } from '../../views/remarks.ts'
import { find } from '../find.ts'
import { type CommandQueue, type HandedOver, handOver } from '../hand-over.ts'
import { command } from '../operation.ts'

/** A batch of remarks about a Run's change, or about that of one of its stories. */
export interface Reviewing {
  /** A Run, `<run>/<story>`, or a story of the latest spec. */
  readonly id: string
  readonly remarks: readonly NewRemark[]
  /** The commit whose lines they are about; without it the newest snapshot, or what is verified. */
  readonly shown?: string | null
}

export interface SubmittedReview {
  readonly run: string
  /** null where the remarks are about the whole Run. */
  readonly story: string | null
  readonly handed: HandedOver
  /** The Run that works on the remarks if theirs has ended. */
  readonly followUp: string
}

export const submitReview = command(actRoutes.submitReview, {
  async run({ drydock, by, give }, { run, story, sha = null, remarks: given }) {
    const id = story === undefined ? run : `${run}/${story}`
    const known = await readReview(drydock, { ...(await find(drydock, id)), story: null })
    const author = await authorOf(drydock, by)
    // On a hub nobody speaks for another.
    const said = by === null ? given : given.map((remark) => ({ ...remark, author: by }))
    const remarks = givenRemarks(said, { source: { kind: 'dashboard' }, author, known })
    const review = await reviewCommand(drydock, { id, remarks, shown: sha })
    return { ...(await give(review)), follow_up: review.followUp }
  },
  again: async (_, review) => (review.kind === 'review' ? { follow_up: review.followUp } : {}),
})

/**
 * Hands remarks in, all at once. A key that the Run has already is not a second remark.
 * `readRemarks` reads their fates, which the event `remark` tells. DrydockError `not_found`,
 * `bad_usage`, `already_done` when nothing can be built on the Run.
 */
export async function giveReview(
  drydock: CommandQueue & Pick<Installation, 'history'>,
  reviewing: Reviewing,
): Promise<SubmittedReview> {
  const review = await reviewCommand(drydock, reviewing)
  const { run, story, followUp } = review
  return { run, story, followUp, handed: await handOver(drydock, `review/${randomUUID()}`, review) }
}

async function reviewCommand(
  drydock: Pick<Installation, 'history'> & RecordSource,
  { id, remarks, shown = null }: Reviewing,
): Promise<Extract<Command, { kind: 'review' }>> {
  const { run, story } = await reading(drydock, (records) => findReviewed(records, id))
  const { batch, perRun, taskChars } = limits.remark
  if (remarks.length === 0) throw usage('There is no remark to submit.', 'Name one: --comment PATH:LINE TEXT')
  if (remarks.length > batch)
    throw usage(`${remarks.length} remarks are too many. At most ${batch} go at once.`, 'Submit them in parts.')
  const size = remarks.reduce((sum, remark) => sum + remarkSize(remark), 0)
  if (remarks.length > 1 && size > taskChars)
    throw usage(`The remarks have ${size} characters. At most ${taskChars} go at once.`, 'Submit them in parts.')
  const known = await reading(drydock, (records) => records.machineCounts({ kind: 'remark', run: run.id }))
  const before = [...known.values()].reduce((sum, count) => sum + count, 0)
  if (before + remarks.length > perRun)
    throw usage(`${run.id} has ${before} remarks. At most ${perRun} are taken.`, 'Start a new task for the rest.')
  if (shown !== null) await checkCommit(drydock, story === null ? run : runIn(run, repositoryOf(story)), shown)
  const checked = await Promise.all(remarks.map((remark) => checkRemark(drydock, { run, story, shown }, remark)))
  const name = story?.story ?? (run.data.request.kind === 'task' ? 'task' : null)
  const followUp = `review-${run.id.slice(0, 24).replace(/-$/, '')}-${randomBytes(3).toString('hex')}`
  return { kind: 'review', run: run.id, story: name, remarks: checked, followUp }
}

/** The work under review. A Run that follows another builds for that one. */
async function findReviewed(records: Records, id: string): Promise<Work> {
  const named = await findWork(records, id)
  const followed = followedBy(named.run)
  const work = followed === null ? named : await findWork(records, followed.run)
  await checkReviewable(records, work)
  return work
}

async function checkReviewable(records: Records, { run, story }: Work): Promise<void> {
  const { request } = run.data
  const isPreview = request.kind === 'task' ? request.dryRun : request.kind === 'spec' && request.planOnly
  if (!isBuilt(run) || request.kind === 'interview' || isPreview)
    throw usage(`${run.id} builds nothing that can be reviewed.`, 'Name the run of a task or a spec: drydock status')
  if (!isEnded(run.state)) {
    if (story !== null || repositoriesOf(run).length === 0) return
    throw usage(`${run.id} is over several repositories.`, `Name one of its stories: drydock review ${run.id}/<story>`)
  }
  if (run.state !== 'DONE') {
    throw new DrydockError('already_done', `${run.id} ended ${run.state}, so there is nothing to build on.`, {
      todo: `Start it again with what should be different: drydock retry ${run.id} --guidance "…"`,
    })
  }
  const elsewhere = story && storyElsewhere(run, story)
  if (elsewhere !== null) throw new DrydockError('already_done', elsewhere.message, { todo: elsewhere.todo })
  const ground = groundOf(run, await records.machines({ kind: 'story', run: run.id }))
  if (ground.ok) return
  throw new DrydockError('already_done', ground.why, {
    todo: 'Start a new task: drydock task "…"',
  })
}
