import { DrydockError } from '../../domain/drydock-error.ts'
import { isBranchName } from '../../domain/run/branch-name.ts'
import { freeBranch } from '../../domain/run/free-branch.ts'
import { standingOf } from '../../domain/run/kept-work.ts'
import { repositoriesOf, repositoryOf } from '../../domain/run/repositories.ts'
import type { NamedRepository } from '../../domain/run/repository.ts'
import type { Drydock } from '../drydock.ts'
import type { Installation } from '../installation.ts'
import { usage } from '../usage.ts'
import type { KeptSnapshot, KeptWork } from '../views/diff/kept-snapshots.ts'
import type { FoundStory } from '../views/find/find-story.ts'

interface RestoreInput {
  /** Number of the snapshot; absent for the newest one. */
  readonly at?: number
  readonly branch?: string
}

/** A snapshot that has been restored to a branch of its own. */
export interface RestoredBranch extends KeptSnapshot {
  readonly branch: string
  /**
   * The repository of the branch if the story is in a further repository of its Run; null
   * otherwise.
   */
  readonly repository: NamedRepository | null
}

/**
 * Restores a snapshot of a story to a new branch. Existing branches and files stay unchanged.
 * Throws DrydockError `not_found`, `bad_usage`.
 */
export async function restoreSnapshot(
  drydock: Drydock,
  { run, story, snapshots }: KeptWork,
  { at, branch }: RestoreInput,
): Promise<RestoredBranch> {
  const wanted = at === undefined ? snapshots.at(-1) : snapshots.find(({ n }) => n === at)
  if (wanted === undefined)
    throw snapshots.length === 0 ? nothingKept({ run, story }) : noNumber(at, { story, snapshots })
  const suggested = branch ?? `drydock/restored/${story.story}-${wanted.n}`
  const repository = repositoriesOf(run).find((each) => each.name === repositoryOf(story)) ?? null
  const place = repository === null ? drydock : await drydock.beside(repository.path)
  const name = await freeName(place, suggested, { isChosen: branch !== undefined })
  await place.publisher.publish(name, wanted.sha, null)
  return { ...wanted, branch: name, repository }
}

type Place = Pick<Installation, 'userRepository' | 'publisher'>

/** Checks that a chosen name is free; a generated name gets a suffix until it is free. */
async function freeName({ userRepository }: Place, branch: string, { isChosen }: { readonly isChosen: boolean }) {
  if (!isBranchName(branch))
    throw usage(`"${branch}" cannot be the name of a branch.`, 'Choose another name: --branch NAME')
  const [top = ''] = branch.split('/')
  const taken = await userRepository.branches(top)
  const folders = branch.split('/').flatMap((_, i, parts) => (i === 0 ? [] : [parts.slice(0, i).join('/')]))
  const inTheWay = folders.find((folder) => taken.includes(folder))
  if (inTheWay !== undefined) {
    throw usage(
      `The branch "${inTheWay}" blocks the name ${branch}.`,
      'Choose the name of the new branch: --branch NAME',
    )
  }
  const free = freeBranch(branch, new Set(taken))
  if (!isChosen || free === branch) return free
  throw usage(
    `The branch ${branch} already exists.`,
    `Choose another name, such as --branch ${free}, or leave --branch out.`,
  )
}

function noNumber(at: number | undefined, { story, snapshots }: Pick<KeptWork, 'story' | 'snapshots'>): DrydockError {
  const numbers = snapshots.map(({ n }) => n)
  const range = `${numbers.at(0)} to ${numbers.at(-1)}`
  return new DrydockError('not_found', `${story.id} has no snapshot ${at}. It has ${range}.`, {
    todo: `List them: drydock restore ${story.id} --list`,
  })
}

export function nothingKept({ run, story }: FoundStory): DrydockError {
  const isLanded = standingOf(run, story) === 'landed'
  const message = isLanded
    ? `The snapshots of ${story.id} no longer exist: its change is on the branch ${run.data.branch}.`
    : `${story.id} has no snapshots yet: it is ${story.state}.`
  return new DrydockError('not_found', message, {
    todo: isLanded ? `git log ${run.data.branch}` : `See where it is: drydock status ${run.id}`,
  })
}
