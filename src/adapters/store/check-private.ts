import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import { DrydockError } from '../../domain/drydock-error.ts'
import { isOpenToAll, isSticky } from '../../domain/open-to-all.ts'
import { nearestRealPath } from './nearest-real-path.ts'

const writableByOthers = 0o022

/**
 * Write access to the state allows running code as its user, for example through a hook in the
 * mirror. So only the user and root may own the folder of a state or of all states, write to it, or
 * be able to replace it. Throws DrydockError `state_unusable`.
 */
export async function checkPrivate(state: string): Promise<void> {
  const own = await nearestRealPath(state)
  const root = await nearestRealPath(dirname(state))
  for (const folder of new Set([own, root, ...above(own), ...above(root)])) {
    const stats = await stat(folder).catch(() => null)
    if (stats === null) continue
    const kind = folder === own ? 'state' : folder === root ? 'root' : 'above'
    if (isOpen(stats, kind)) throw refused(folder)
  }
}

function isOpen({ uid, mode }: Stats, kind: 'state' | 'root' | 'above'): boolean {
  if (kind === 'above') return isOpenToAll(mode)
  // On a system without user ids, all folders belong to the user.
  const isOwn = uid === 0 || uid === (process.getuid?.() ?? uid)
  // In a writable root, somebody could create the state before its user does, and so own it.
  return !isOwn || ((mode & writableByOthers) !== 0 && !(kind === 'root' && isSticky(mode)))
}

/** The folders above a path, up to the root. */
function above(folder: string): readonly string[] {
  const parent = dirname(folder)
  return parent === folder || folder === sep ? [] : [parent, ...above(parent)]
}

function refused(folder: string): DrydockError {
  return new DrydockError('state_unusable', `Other users can change the state in ${folder}.`, {
    todo: `Run: chmod go-w ${JSON.stringify(folder)}; or set DRYDOCK_HOME to a folder that only you can write to.`,
  })
}
