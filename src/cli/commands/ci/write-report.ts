import { appendFile, lstat, realpath, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { usage } from '../../../app/usage.ts'

/** Appends to a file that the service has named, and that nobody else can write to. */
export async function appendFor(file: string | null, text: string): Promise<void> {
  if (file !== null) await appendFile(file, text)
}

/**
 * Replaces a file. A link in the checkout could lead the report somewhere else, since strangers
 * write the checkout's files. Throws DrydockError `bad_usage` for such a link.
 */
export async function writeReport(repository: string, file: string, text: string): Promise<void> {
  const path = resolve(file)
  const folder = await realpath(dirname(path)).catch(() => null)
  if (folder === null) throw usage(`The folder of ${file} does not exist.`, 'Name a file in a folder that exists.')
  if (await leadsElsewhere(repository, dirname(path)))
    throw usage(`${file} is behind a link of the repository.`, 'Name a file whose folder is no link.')
  const target = join(folder, basename(path))
  if ((await lstat(target).catch(() => null))?.isDirectory())
    throw usage(`${file} is a folder.`, 'Name a file for the report.')
  await rm(target, { force: true })
  await writeFile(target, text, { flag: 'wx' })
}

/** True if links lead from a folder in the repository to a place outside. */
async function leadsElsewhere(repository: string, folder: string): Promise<boolean> {
  const root = await realpath(repository)
  const real = await realpath(folder)
  let seems: string | null = null
  for (let top = folder; top !== dirname(top); top = dirname(top))
    if ((await realpath(top)) === root) seems = join(root, relative(top, folder))
  return seems !== null && real !== seems
}
