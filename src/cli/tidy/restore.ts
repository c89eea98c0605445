import type { Drydock } from '../../compose.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { isBranchName } from '../../domain/run/branch-name.ts'
import { freeBranch } from '../../domain/run/free-branch.ts'
import { snapshotRefs, standingOf } from '../../domain/run/kept-work.ts'
import type { CommonOptions, Context } from '../context.ts'
import { type FoundStory, findStory } from '../find-story.ts'
import { open } from '../open.ts'
import { reading } from '../reading.ts'
import { inColumns } from '../screen/columns.ts'
import { usage } from '../usage.ts'
import { filesChanged, type KeptSnapshot, keptSnapshots } from './kept-snapshots.ts'

interface RestoreOptions {
  readonly at?: number
  readonly run?: string
  readonly branch?: string
  readonly list?: true
}

/**
 * Brings a snapshot of a story back onto a branch of its own; nothing that is there is touched, nor
 * is anybody's work.
 */
export async function restore(
  context: Context,
  [id = '']: readonly string[],
  options: CommonOptions & RestoreOptions,
): Promise<number> {
  const drydock = await open(context, options)
  const found = await reading(drydock, (records) =>
    findStory(records, { id, inRun: options.run, repository: drydock.repository }),
  )
  const snapshots = await keptSnapshots(drydock, found.story)
  const aside = (await drydock.workspaces.setAside(snapshotRefs(found.story.id))).map(({ folder }) => folder)
  if (options.list === true) await list(context, drydock, { ...found, snapshots, aside })
  else await bringBack(context, drydock, { ...found, snapshots, aside, options })
  return 0
}

interface Kept extends FoundStory {
  readonly snapshots: readonly KeptSnapshot[]
  /** Folders with what no snapshot could hold. */
  readonly aside: readonly string[]
}

async function list({ output }: Context, drydock: Drydock, { run, story, snapshots, aside }: Kept): Promise<void> {
  const lines = await Promise.all(
    snapshots.map(async (each) => ({ ...each, files: await filesChanged(drydock, each) })),
  )
  output.emit({ type: 'snapshots', run: run.id, story: story.story, snapshots: lines, set_aside: aside })
  if (output.json) return
  if (lines.length === 0) output.say(nothingKept({ run, story }).message)
  else {
    const rows = lines.map(({ n, at, files, why }) => ({
      cells: [String(n), at.slice(0, 19).replace('T', ' '), String(files), why],
      tone: 'strong' as const,
    }))
    output.say(inColumns(output.screen, { head: ['N', 'TIME (UTC)', 'FILES', 'WHY'], right: [0, 2], painted: 0 }, rows))
  }
  sayAside({ output }, aside)
}

async function bringBack(
  { output }: Pick<Context, 'output'>,
  drydock: Drydock,
  { run, story, snapshots, aside, options }: Kept & { readonly options: RestoreOptions },
): Promise<void> {
  const wanted = options.at === undefined ? snapshots.at(-1) : snapshots.find(({ n }) => n === options.at)
  if (wanted === undefined) {
    const error = snapshots.length === 0 ? nothingKept({ run, story }) : noNumber(options.at, { story, snapshots })
    if (snapshots.length === 0) sayAside({ output }, aside)
    throw error
  }
  const branch = options.branch ?? `drydock/restored/${story.story}-${wanted.n}`
  const name = await freeName(drydock, branch, { isChosen: options.branch !== undefined })
  await drydock.workspaces.publish(name, wanted.sha, null)
  const { n, sha, at, why } = wanted
  output.emit({
    ...{ type: 'restore', run: run.id, story: story.story },
    ...{ n, sha, at, why, branch: name, set_aside: aside },
  })
  const of = `Snapshot ${n} of ${story.id}`
  output.say(`${of}${why && `, kept for: ${why},`} is on the branch ${name}. Your files are as they were.`)
  output.say(`Look at it:     git diff ${name}^ ${name}`)
  output.say(`Go on with it:  git switch ${name}`)
  sayAside({ output }, aside)
}

/** A name that was chosen must be free; any other becomes so. */
async function freeName(drydock: Drydock, branch: string, { isChosen }: { readonly isChosen: boolean }) {
  if (!isBranchName(branch)) throw usage(`"${branch}" cannot be the name of a branch.`, 'Choose another: --branch NAME')
  const [top = ''] = branch.split('/')
  const taken = await drydock.workspaces.branches(top)
  const folders = branch.split('/').flatMap((_, i, parts) => (i === 0 ? [] : [parts.slice(0, i).join('/')]))
  const inTheWay = folders.find((folder) => taken.includes(folder))
  if (inTheWay !== undefined) {
    throw usage(
      `A branch named "${inTheWay}" stands in the way of ${branch}.`,
      'Choose the name of the new branch: --branch NAME',
    )
  }
  const free = freeBranch(branch, new Set(taken))
  if (!isChosen || free === branch) return free
  throw usage(`There is a branch ${branch} already.`, `Choose another, as --branch ${free}, or leave it out.`)
}

function sayAside({ output }: Pick<Context, 'output'>, folders: readonly string[]): void {
  if (folders.length === 0) return
  output.say('What git does not take into a snapshot (nested repositories, devices) lies as files in:')
  for (const folder of folders) output.say(`  ${folder}`)
}

function noNumber(at: number | undefined, { story, snapshots }: Pick<Kept, 'story' | 'snapshots'>): DrydockError {
  const numbers = snapshots.map(({ n }) => n)
  const range = `${numbers.at(0)} to ${numbers.at(-1)}`
  return new DrydockError('not_found', `${story.id} has no snapshot ${at}. It has ${range}.`, {
    todo: `See what they are: drydock restore ${story.id} --list`,
  })
}

function nothingKept({ run, story }: FoundStory): DrydockError {
  const isLanded = standingOf(run, story) === 'landed'
  const message = isLanded
    ? `The snapshots of ${story.id} are gone: its change is on the branch ${run.data.branch}.`
    : `Nothing of ${story.id} has been kept yet: it is ${story.state}.`
  return new DrydockError('not_found', message, {
    todo: isLanded ? `git log ${run.data.branch}` : `See where it is: drydock status ${run.id}`,
  })
}
