import { realpath } from 'node:fs/promises'
import { isAbsolute, relative } from 'node:path'
import { usage } from '../../../app/usage.ts'
import type { LoadedUserConfig } from '../../../config/load.ts'
import type { Suite } from '../../../evaluation/suite/suite.ts'

/** Folders of the host that bubblewrap shows in every sandbox. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

/**
 * Refuses to start a model whose sandbox would show the hidden tests, other attempts' results, or
 * commits after the base. Throws DrydockError `bad_usage`.
 */
export async function checkUnseen(suite: Suite, out: string, user: LoadedUserConfig): Promise<void> {
  const shown = [...systemFolders, ...user.sandbox.read_only_paths]
  const real = await Promise.all(shown.map((path) => realpath(path).catch(() => path)))
  const kept = [suite.folder, out, ...suite.tasks.map(({ source }) => source.path)]
  for (const path of kept) {
    const at = await realpath(path).catch(() => path)
    // Also refuses a visible folder inside the suite: a suite may contain one by accident.
    const seen = real.find((folder) => isWithin(at, folder) || isWithin(folder, at))
    if (seen === undefined) continue
    throw usage(`Sandboxes show ${seen}, so a model could read ${path}.`, 'Copy the suite to another folder.')
  }
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || !(way === '..' || way.startsWith('../') || isAbsolute(way))
}
