import { link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../../../files/sync-folder.ts'
import { unlessMissing } from '../unless-missing.ts'

interface From {
  /** The folder of objects of the user's repository. */
  readonly objects: string
  /** The git directory that all work trees of the user's repository share. */
  readonly common: string
}

/**
 * Hard-links all objects of the user's repository into a git directory, so that nothing is copied
 * or read. Git never changes an object file, so the linked files stay whatever the user prunes,
 * repacks, moves or deletes. Returns false where this is impossible: on another file system, and
 * for a repository that lacks objects of its own commits or keeps them elsewhere. Objects linked
 * before that do no harm.
 */
export async function linkObjects({ objects: from, common }: From, gitDir: string): Promise<boolean> {
  if (await borrowsOrLacks({ from, common })) return false
  return unlessRefused(async () => {
    // Loose objects first: a concurrent repack moves them into packs, and never back.
    for (const folder of await looseFolders(from)) await linkAll(join(from, folder), join(gitDir, 'objects', folder))
    await linkAll(join(from, 'pack'), join(gitDir, 'objects', 'pack'), packFiles)
    await linkAll(join(from, 'info'), join(gitDir, 'objects', 'info'), (names) =>
      names.filter((name) => name === 'commit-graph'),
    )
  })
}

/** Links the packs of one git directory into another, and marks them to be kept as they are. */
export async function keepPacksOf(from: string, gitDir: string): Promise<boolean> {
  const [packs, to] = [from, gitDir].map((each) => join(each, 'objects', 'pack')) as [string, string]
  return unlessRefused(async () => {
    await linkAll(packs, to, packFiles)
    for (const name of await readdir(to))
      if (name.endsWith('.pack')) await writeFile(join(to, name.replace(/pack$/, 'keep')), '')
  })
}

/**
 * Marks the packs that are shared with the user's repository, so that git does not repack them: a
 * copy would double their disk space. Git may repack all others.
 */
export async function keepSharedPacks(gitDir: string): Promise<void> {
  const folder = join(gitDir, 'objects', 'pack')
  const names = (await unlessMissing(readdir(folder))) ?? []
  for (const name of names.filter((each) => each.endsWith('.pack'))) {
    const pack = join(folder, name)
    const keep = pack.replace(/pack$/, 'keep')
    if ((await stat(pack)).nlink > 1) await writeFile(keep, keptHere)
    // A mark with another text belongs to a git that is receiving objects.
    else if ((await unlessMissing(readFile(keep, 'utf8'))) === keptHere) await rm(keep)
  }
}

const keptHere = 'Shared with the repository that this mirrors.\n'

/**
 * Replaces a folder of objects by links to the packs of a git directory. Returns false, with the
 * folder empty, if they cannot be linked.
 */
export async function lendPacks(from: string, objects: string): Promise<boolean> {
  const to = join(objects, 'pack')
  const clear = async () => {
    for (const name of (await unlessMissing(readdir(to))) ?? []) await rm(join(to, name))
  }
  // Files of equal names go too: after a crash of the machine they may be incomplete.
  await clear()
  const isDone = await unlessRefused(() => linkAll(join(from, 'objects', 'pack'), to, packFiles))
  if (!isDone) await clear()
  return isDone
}

/**
 * True if the objects lie elsewhere, or if the clone is shallow or partial; a fetch handles these.
 */
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

/**
 * The index of a pack comes last, since git finds the pack by it. An index over several packs is
 * not needed.
 */
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
  // Flushed before the refs are written, since a ref must not exist without its object.
  await syncFolder(to)
}

/** An existing file of the same name has the same content. */
async function linkOne(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * These codes mean another file system, one without hard links, another owner's files, or a file
 * that has vanished.
 */
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
