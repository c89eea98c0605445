import { DrydockError } from '../../domain/drydock-error.ts'
import { landingOf, landsTogether, repositoriesOf, repositoryOf } from '../../domain/run/repositories.ts'
import type { Landing } from '../../domain/run/repository.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Commit } from '../../ports/engine.ts'
import type { Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { load, storiesOf, storyOf } from '../machines.ts'

/**
 * One move of the branches of a Run over several repositories, in one commit; false when there is
 * none left. The branches are pinned first, once all stories are merged and every branch can be
 * moved. Each is then moved by itself: what a crash cuts off is brought to its end, since every
 * result is green.
 */
export async function landNext(deps: WorkflowDependencies, run: Run, commit: Commit): Promise<boolean> {
  const { landing, stopped } = run.data
  if (!landsTogether(run) || stopped) return false
  if (landing === undefined) {
    const stories = await storiesOf(deps.store, run.id)
    const wanted = stories.every(({ state }) => state === 'DONE') ? landingOf(run) : []
    if (wanted.length === 0) return false
    for (const each of wanted) await check(deps, run, { landing: wanted, each })
    await commit((tx) => goOn(tx, run, wanted))
    return true
  }
  const next = landing.find(({ moved }) => !moved)
  if (next === undefined) return false
  // Any other may have been taken since: then this one stays as well.
  for (const each of landing.filter(({ moved }) => !moved)) await check(deps, run, { landing, each })
  await stoppedBy(run, { landing, each: next }, move(deps, run, next))
  await commit(async (tx) => {
    const { sha } = next
    const data = { repository: nameOf(run, next), branch: branchOf(run), sha }
    await tx.appendEvent({ run: run.id, story: null, type: 'landed', data })
    const after = landing.map((each) => (each === next ? { ...each, moved: true } : each))
    await goOn(tx, run, after)
  })
  return true
}

/** The receipts of what was merged there are handed over before the branch is. */
async function move(deps: WorkflowDependencies, run: Run, landing: Landing): Promise<void> {
  const { publisher } = await portsOf(deps, run, landing)
  await noteReceipts(deps, run, landing)
  await publisher.publish(branchOf(run), landing.sha, null)
}

async function goOn(tx: Transaction, { id }: Run, landing: readonly Landing[]): Promise<void> {
  await tx.queue(await tx.edit(await load(tx, 'run', id), { landing }))
}

type Ports = Pick<WorkflowDependencies, 'publisher'>

async function portsOf(deps: WorkflowDependencies, run: Run, { repository }: Landing): Promise<Ports> {
  return repository === null ? deps : deps.beside(pathOf(run, repository))
}

function pathOf({ id, data }: Run, repository: string): string {
  const found = data.repositories?.find(({ name }) => name === repository)
  if (found === undefined) throw new Error(`run ${id} has no repository ${repository}`)
  return found.path
}

function branchOf({ id, data: { branch } }: Run): string {
  if (branch === null) throw new Error(`run ${id} has no branch`)
  return branch
}

function nameOf(run: Run, { repository }: Pick<Landing, 'repository'>): string {
  return repository ?? repositoriesOf(run)[0]?.name ?? ''
}

interface Checking {
  readonly landing: readonly Landing[]
  readonly each: Landing
}

async function check(deps: WorkflowDependencies, run: Run, checking: Checking): Promise<void> {
  const { publisher } = await portsOf(deps, run, checking.each)
  await stoppedBy(run, checking, publisher.check(branchOf(run), checking.each.sha, null))
}

/** DrydockError `landing_stopped`, which says what has been moved and what has not. */
async function stoppedBy(run: Run, { landing, each }: Checking, moving: Promise<unknown>): Promise<void> {
  try {
    await moving
  } catch (cause) {
    if (!(cause instanceof DrydockError)) throw cause
    const names = (moved: boolean) =>
      landing
        .filter((other) => other.moved === moved)
        .map((other) => nameOf(run, other))
        .join(', ')
    const moved = names(true) === '' ? 'No branch was moved.' : `Moved: ${names(true)}.`
    const message = `The branch of ${nameOf(run, each)} cannot be moved. ${cause.message} ${moved} Not moved: ${names(false)}.`
    throw new DrydockError('landing_stopped', message, { todo: `In that repository: ${cause.todo}`, cause })
  }
}

async function noteReceipts(deps: WorkflowDependencies, run: Run, landing: Landing): Promise<void> {
  const { publisher } = await portsOf(deps, run, landing)
  for (const merge of await deps.store.machines({ kind: 'merge', run: run.id, states: ['MERGED'] })) {
    const story = await storyOf(deps.store, merge)
    const { commit, attempt } = merge.data
    if (story === null || commit === null || attempt === null) continue
    if ((repositoryOf(story) ?? null) !== landing.repository) continue
    const text = await deps.receipts.textOf(commit)
    await publisher.note({ sha: commit, text, at: new Date(attempt.at) })
  }
}
