import { followUpText } from '../../agents/prompts/remarks-section.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { plainLine } from '../../domain/plain-text.ts'
import type { Remark } from '../../domain/remark/remark.ts'
import { remarkSize } from '../../domain/remark/remark-findings.ts'
import { groundOf } from '../../domain/run/ground.ts'
import { landsTogether } from '../../domain/run/repositories.ts'
import { type FollowUp, followedBy, isEnded, newRun, type Run } from '../../domain/run/run.ts'
import { storyElsewhere } from '../../domain/run/story-elsewhere.ts'
import { titleOf } from '../../domain/run/title.ts'
import { verifiedCommit } from '../../domain/run/verified-commit.ts'
import type { Story, StoryData } from '../../domain/story/story.ts'
import type { Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { load, storiesOf } from '../machines.ts'
import { withRemarks } from './attach-remarks.ts'
import { moveRemark } from './move-remark.ts'
import { settleRemarks } from './settle-remarks.ts'

/**
 * Starts a task on top of the branch of a DONE Run whose remarks nobody works on. Each Run has one
 * such task at a time; later remarks wait for the next.
 */
export async function startFollowUp(
  tx: Transaction,
  { scope }: Pick<WorkflowDependencies, 'scope'>,
  id: string,
): Promise<void> {
  const run = await load(tx, 'run', id)
  if (run.state !== 'DONE') return
  const open = await tx.machines({ kind: 'remark', run: id, states: ['OPEN'] })
  const unattended = open.filter(({ data }) => data.followUp === null)
  const waiting = await inOwnRepository(tx, run, unattended)
  const [first] = waiting
  if (first === undefined) return
  const earlier = (await tx.machines({ kind: 'run' })).filter((each) => followedBy(each)?.run === id)
  if (earlier.some(({ state }) => !isEnded(state))) return
  const ground = groundOf(run, await storiesOf(tx, id))
  if (!ground.ok) {
    for (const remark of waiting) await moveRemark(tx, remark, 'refused', { reply: ground.why })
    return
  }
  const { branch, tip, base } = ground
  const taken = inOneTask(waiting)
  const remarks = taken.map(({ data }) => data.finding)
  const follows = { run: id, branch, tip, base, remarks, name: `review-${earlier.length + 1}` }
  const worker = freeId(first.data.promised, new Set(earlier.map((each) => each.id)))
  await createFollowUp(tx, { run, id: worker, waiting: taken, follows })
  scope.add([worker])
}

/** A task works only in the Run's own repository, so remarks about others are refused. */
async function inOwnRepository(tx: Transaction, run: Run, waiting: readonly Remark[]): Promise<readonly Remark[]> {
  const stories = landsTogether(run) && waiting.length > 0 ? await storiesOf(tx, run.id) : []
  const elsewhere = new Map(stories.map((story) => [story.story, storyElsewhere(run, story)]))
  const own: Remark[] = []
  for (const remark of waiting) {
    const other = elsewhere.get(remark.story) ?? null
    if (other === null) own.push(remark)
    else await moveRemark(tx, remark, 'refused', { reply: `${other.message} ${other.todo}` })
  }
  return own
}

/** Takes as many remarks, from the first on, as fit into the text of one task. */
function inOneTask(waiting: readonly Remark[]): readonly Remark[] {
  let chars = 0
  return waiting.filter(({ data }, index) => {
    chars += remarkSize(data)
    return index === 0 || chars <= limits.remark.taskChars
  })
}

/**
 * Finds a free id for a further follow-up: if a batch does not fit into one task, only the id of
 * its first follow-up is reserved.
 */
function freeId(wanted: string, taken: ReadonlySet<string>): string {
  let id = wanted
  for (let n = 2; taken.has(id); n += 1) id = `${wanted}-${n}`
  return id
}

interface Following {
  readonly run: Run
  readonly id: string
  readonly waiting: readonly Remark[]
  readonly follows: FollowUp
}

async function createFollowUp(tx: Transaction, { run, id, waiting, follows }: Following): Promise<void> {
  const { target, configFile, models, maxWaitSec = null, startedBy, priority, allowFailing, acceptance } = run.data
  const said = waiting.map(({ data }) => data)
  const about = plainLine(titleOf(run).split('\n')[0] ?? '', limits.remark.titleChars)
  const text = followUpText(said, { title: about, run: run.id })
  const [title = ''] = text.split('\n')
  const task = {
    text,
    constraints: [],
    non_goals: [],
    files: [...new Set(said.flatMap(({ place }) => place?.path ?? []))],
  }
  const request = { kind: 'task', task, dryRun: false, apply: false, follows } as const
  const own = models && { ...models, architect: null }
  const fresh = newRun({ request, target, configFile, models: own, budgetUsd: null, maxWaitSec })
  const asked = { ...(startedBy !== undefined && { startedBy }), ...(priority !== undefined && { priority }) }
  // A test that fails on the first base fails on later ones, too.
  const allowed = allowFailing !== undefined && { allowFailing }
  const accepting = acceptance !== undefined && { acceptance }
  const data = { ...fresh, ...asked, ...allowed, ...accepting, branch: follows.branch }
  await tx.create({ id, kind: 'run', run: id, story: null, data }, 'rest')
  const tests = accepting ? await tx.acceptanceTests(run.id) : null
  if (tests !== null) await tx.keepAcceptanceTests(id, tests)
  await tx.appendEvent({ run: id, story: null, type: 'run', data: { kind: 'task', title } })
  for (const remark of waiting) await tx.edit(remark, { followUp: id })
}

/** Makes the remarks hold the story that works on them. */
export async function reviewsWithRemarks(
  tx: Transaction,
  data: Pick<StoryData, 'reviews' | 'requests'>,
  { run, remarks }: FollowUp,
): Promise<StoryData['reviews']> {
  const all = await tx.machines({ kind: 'remark', run })
  return withRemarks(
    data,
    all.filter((remark) => remarks.includes(remark.data.finding)),
  )
}

/** The commit that a follow-up builds on; the branch must still point to it. */
export async function tipOf(
  { userRepository }: Pick<WorkflowDependencies, 'userRepository'>,
  { run, branch, tip }: FollowUp,
): Promise<string> {
  const isThere = (await userRepository.branches(branch)).includes(branch)
  const sha = isThere ? (await userRepository.target(branch)).sha : null
  if (sha === tip) return tip
  const back = `put the branch back (git branch -f ${branch} ${tip.slice(0, 12)}) and run: drydock resume`
  if (sha === null)
    throw new DrydockError('branch_moved', `${branch}, which ${run} has made, is no longer there.`, {
      todo: `If more work is to follow, ${back}. Else cancel this run.`,
    })
  throw new DrydockError('branch_moved', `${branch} is at ${sha.slice(0, 12)}, not at ${tip.slice(0, 12)}.`, {
    todo: `Other work was added to what ${run} had built. If that was not meant, ${back}. Else cancel this run and comment again.`,
  })
}

/**
 * Adds the verified commit to the branch of the Run that it follows. A commit that somebody else
 * has added there is never overwritten. Throws DrydockError `branch_moved`, `apply_refused` or
 * `git_failed`.
 */
export async function addToBranch(
  { publisher }: Pick<WorkflowDependencies, 'publisher'>,
  { branch, tip }: FollowUp,
  sha: string,
): Promise<string> {
  try {
    await publisher.advance(branch, sha, tip)
    return branch
  } catch (error) {
    if (!(error instanceof DrydockError)) throw error
    const { code, message } = error
    const todo = `The verified commit is ${sha.slice(0, 12)}. Put the branch in order (it must be at ${tip.slice(0, 12)}, without local changes where it is checked out), then run: drydock resume`
    throw new DrydockError(code, message, { todo, cause: error })
  }
}

/**
 * Updates remarks at the end of a Run: its own, those that it has worked on, and those that wait
 * for the next.
 */
export async function followEnd(
  tx: Transaction,
  deps: Pick<WorkflowDependencies, 'scope'>,
  run: Run,
  story: Story | null,
): Promise<void> {
  const followed = followedBy(run)
  const commit = story === null ? null : verifiedCommit(run, [story])
  if (story?.state === 'DONE') await settleRemarks(tx, story, commit)
  if (followed !== null && run.state === 'DONE' && commit !== null)
    await tx.edit(await load(tx, 'run', followed.run), { tip: commit })
  const about = followed?.run ?? run.id
  const worker = followed === null ? null : run.id
  const open = await tx.machines({ kind: 'remark', run: about, states: ['OPEN'] })
  const left = run.state === 'DONE' && followed === null ? [] : open.filter(({ data }) => data.followUp === worker)
  for (const remark of left) await moveRemark(tx, remark, 'stuck', { reply: `${run.id} ended ${run.state}.` })
  await startFollowUp(tx, deps, about)
}
