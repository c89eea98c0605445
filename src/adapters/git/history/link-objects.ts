import { link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../../../files/sync-folder.ts'
import { unlessMissing } from '../unless-missing.ts'

interface From {
  /** The folder of the user's objects. */
  readonly objects: string
  /** The git directory that all work trees of the user's repository share. */
  readonly common: string
}

/**
 * Gives a git directory all objects of the user's repository as hard links, so that nothing is
 * copied or read. Git never changes a file of objects: whatever the user prunes, packs anew, moves
 * or deletes, the linked files stay. False where that does not do: on another file system, and for
 * a repository that lacks objects of its own commits, or has them elsewhere. What was linked by
 * then does no harm.
 */
export async function linkObjects({ objects: from, common }: From, gitDir: string): Promise<boolean> {
  if (await borrowsOrLacks({ from, common })) return false
  return unlessRefused(async () => {
    // Loose objects first: a repack that runs beside moves them into packs, and never back.
    for (const folder of await looseFolders(from)) await linkAll(join(from, folder), join(gitDir, 'objects', folder))
    await linkAll(join(from, 'pack'), join(gitDir, 'objects', 'pack'), packFiles)
    await linkAll(join(from, 'info'), join(gitDir, 'objects', 'info'), (names) =>
      names.filter((name) => name === 'commit-graph'),
    )
  })
}

/** The packs of one git directory in another one, to be kept there as they are. */
export async function keepPacksOf(from: string, gitDir: string): Promise<boolean> {
  const [packs, to] = [from, gitDir].map((each) => join(each, 'objects', 'pack')) as [string, string]
  return unlessRefused(async () => {
    await linkAll(packs, to, packFiles)
    for (const name of await readdir(to))
      if (name.endsWith('.pack')) await writeFile(join(to, name.replace(/pack$/, 'keep')), '')
  })
}

/**
 * Has git leave those packs as they are that the user's repository still has as well: a copy would
 * take their size once more. Others are git's to pack again.
 */
export async function keepSharedPacks(gitDir: string): Promise<void> {
  const folder = join(gitDir, 'objects', 'pack')
  const names = (await unlessMissing(readdir(folder))) ?? []
  for (const name of names.filter((each) => each.endsWith('.pack'))) {
    const pack = join(folder, name)
    const keep = pack.replace(/pack$/, 'keep')
    if ((await stat(pack)).nlink > 1) await writeFile(keep, keptHere)
    // One that git has made while it takes objects in says so.
    else if ((await unlessMissing(readFile(keep, 'utf8'))) === keptHere) await rm(keep)
  }
}

const keptHere = 'Shared with the repository that this mirrors.\n'

/**
 * The packs of a git directory in a folder of objects, in place of all that is there. False, with
 * nothing there, where they cannot be linked.
 */
export async function lendPacks(from: string, objects: string): Promise<boolean> {
  const to = join(objects, 'pack')
  const clear = async () => {
    for (const name of (await unlessMissing(readdir(to))) ?? []) await rm(join(to, name))
  }
  // Also what has the same name: after a crash of the machine it may lack what never got to disk.
  await clear()
  const isDone = await unlessRefused(() => linkAll(join(from, 'objects', 'pack'), to, packFiles))
  if (!isDone) await clear()
  return isDone
}

/** It has its objects elsewhere, or is a shallow or a partial clone: a fetch knows what to do. */
async function borrowsOrLacks({ from, common }: { readonly from: string; readonly common: string }): Promise<boolean> {
  const alternates = await unlessMissing(readFile(join(from, 'info', 'alternates')))
  const isShallow = (await unlessMissing(stat(join(common, 'shallow')))) !== null
  const packs = await unlessMissing(readdir(join(from, 'pack')))
  const isPartial = packs?.some((name) => name.endsWith('.promisor')) ?? true
  return (alternates?.length ?? 0) > 0 || isShallow || isPartial
}

async function looseFolders(objects: string): Promise<readonly string[]> {
  return (await readdir(objects)).filter((name) => /^[0-9a-f]{2}$/.test(name))
}

/** The index last: git knows a pack by it. An index of several packs is not wanted. */
function packFiles(names: readonly string[]): readonly string[] {
  const ending = (end: string) => names.filter((name) => name.startsWith('pack-') && name.endsWith(end))
  return ['.pack', '.rev', '.idx'].flatMap(ending)
}

async function linkAll(
  from: string,
  to: string,
  choose: (names: readonly string[]) => readonly string[] = (names) => names.filter((name) => !name.startsWith('tmp_')),
): Promise<void> {
  const names = choose((await unlessMissing(readdir(from))) ?? [])
  if (names.length === 0) return
  await mkdir(to, { recursive: true })
  for (const name of names) await linkOne(join(from, name), join(to, name))
  // The refs that follow reach the disk, and must not be there before what they name.
  await syncFolder(to)
}

/** A file that is there already has the same name, and so the same content. */
async function linkOne(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Another file system, one without links, somebody else's files, or a file that is gone. */
const refusals = ['EXDEV', 'EPERM', 'EACCES', 'EMLINK', 'ENOTSUP', 'ENOSYS', 'ENOENT', 'ENOTDIR']

async function unlessRefused(linking: () => Promise<void>): Promise<boolean> {
  try {
    await linking()
    return true
  } catch (error) {
    if (refusals.includes(`${(error as NodeJS.ErrnoException).code}`)) return false
    throw error
  }
}
