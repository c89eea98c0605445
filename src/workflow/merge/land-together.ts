import { DrydockError } from '../../domain/drydock-error.ts'
import { landingOf, landsTogether, repositoriesOf, repositoryOf } from '../../domain/run/repositories.ts'
import type { Landing } from '../../domain/run/repository.ts'
import type { Run, RunData } from '../../domain/run/run.ts'
import type { Commit } from '../../ports/engine.ts'
import type { Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { load, storiesOf, storyOf } from '../machines.ts'
import type { PublishDependencies } from './dependencies.ts'

/**
 * Moves the next branch of a Run over several repositories, in one commit; false if none is left.
 * The branches are pinned first, once all stories are merged and every branch can be moved. Each is
 * then moved separately; a landing that a crash interrupts is completed later, since every result
 * is green.
 */
export async function landNext(
  deps: PublishDependencies & Pick<WorkflowDependencies, 'beside'>,
  run: Run,
  commit: Commit,
): Promise<boolean> {
  const { landing, stopped } = run.data
  if (!landsTogether(run) || stopped) return false
  if (landing === undefined) {
    const stories = await storiesOf(deps.store, run.id)
    const wanted = stories.every(({ state }) => state === 'DONE') ? landingOf(run) : []
    if (wanted.length === 0) return false
    await checkAll(deps, run, wanted)
    await commit((tx) => goOn(tx, run, wanted))
    return true
  }
  const next = landing.find(({ moved }) => !moved)
  if (next === undefined) return false
  // If somebody has moved any of the branches in the meantime, no branch moves.
  await checkAll(deps, run, landing)
  await move(deps, run, { landing, next })
  await commit(async (tx) => {
    const { sha } = next
    const data = { repository: nameOf(run, next), branch: branchOf(run), sha }
    await tx.appendEvent({ run: run.id, story: null, type: 'landed', data })
    const after = landing.map((each) => (each === next ? { ...each, moved: true } : each))
    await goOn(tx, run, after)
  })
  return true
}

interface Moving {
  readonly landing: readonly Landing[]
  readonly next: Landing
}

/** Hands over the receipts of the repository's merges before its branch. */
async function move(
  deps: PublishDependencies & Pick<WorkflowDependencies, 'beside'>,
  run: Run,
  { landing, next }: Moving,
): Promise<void> {
  try {
    const { publisher } = await portsOf(deps, run, next)
    await noteReceipts(deps, run, next)
    await publisher.publish(branchOf(run), next.sha, null)
  } catch (error) {
    if (!(error instanceof DrydockError)) throw error
    await checkAll(deps, run, landing)
    throw stoppedBy(run, {
      each: next,
      cause: error,
      places: landing.map((each) => ({ ...each, isThere: each.moved })),
    })
  }
}

interface Place extends Landing {
  /** True if the branch exists, stored or not. */
  readonly isThere: boolean
}

/** Throws DrydockError `landing_stopped` if any remaining branch cannot be moved. */
async function checkAll(
  deps: Pick<WorkflowDependencies, 'beside' | 'publisher'>,
  run: Run,
  landing: readonly Landing[],
): Promise<void> {
  const places: Place[] = []
  const failed: { readonly each: Landing; readonly cause: DrydockError }[] = []
  for (const each of landing) {
    try {
      const isThere = each.moved || (await isAtSha(deps, run, each))
      places.push({ ...each, isThere })
    } catch (cause) {
      if (!(cause instanceof DrydockError)) throw cause
      places.push({ ...each, isThere: false })
      failed.push({ each, cause })
    }
  }
  const [first] = failed
  if (first !== undefined) throw stoppedBy(run, { ...first, places })
}

async function isAtSha(
  deps: Pick<WorkflowDependencies, 'beside' | 'publisher'>,
  run: Run,
  landing: Landing,
): Promise<boolean> {
  const { publisher } = await portsOf(deps, run, landing)
  return publisher.check(branchOf(run), landing.sha, null)
}

/**
 * The branches as a Run should know them at its end: one may exist although nobody has stored it.
 */
export async function landingNow(
  deps: Pick<WorkflowDependencies, 'beside' | 'publisher'>,
  run: Run,
): Promise<Pick<RunData, 'landing'>> {
  const { landing } = run.data
  if (landing === undefined) return {}
  const looked = landing.map(async (each) => {
    const isThere = each.moved || (await isAtSha(deps, run, each).catch(() => false))
    return { ...each, moved: isThere }
  })
  return { landing: await Promise.all(looked) }
}

interface StopCause {
  readonly each: Landing
  readonly cause: DrydockError
  readonly places: readonly Place[]
}

/** Lists the branches that were moved and those that were not. */
function stoppedBy(run: Run, { each, cause, places }: StopCause): DrydockError {
  const names = (isThere: boolean) =>
    places
      .filter((place) => place.isThere === isThere)
      .map((place) => nameOf(run, place))
      .join(', ')
  const moved = names(true) === '' ? 'No branch was moved.' : `Moved: ${names(true)}.`
  const message = `The branch of ${nameOf(run, each)} cannot be moved. ${cause.message} ${moved} Not moved: ${names(false)}.`
  return new DrydockError('landing_stopped', message, { todo: `In that repository: ${cause.todo}`, cause })
}

async function goOn(tx: Transaction, { id }: Run, landing: readonly Landing[]): Promise<void> {
  await tx.queue(await tx.edit(await load(tx, 'run', id), { landing }))
}

type Ports = Pick<WorkflowDependencies, 'publisher'>

async function portsOf(
  deps: Pick<WorkflowDependencies, 'beside' | 'publisher'>,
  run: Run,
  { repository }: Landing,
): Promise<Ports> {
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

async function noteReceipts(
  deps: PublishDependencies & Pick<WorkflowDependencies, 'beside'>,
  run: Run,
  landing: Landing,
): Promise<void> {
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
