import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import { DrydockError } from '../../domain/drydock-error.ts'
import { isOpenToAll, isSticky } from '../../domain/open-to-all.ts'
import { nearestRealPath } from './nearest-real-path.ts'

const writableByOthers = 0o022

/**
 * Whoever writes to the state decides what runs as its user: a hook in the mirror is enough. So
 * nobody but the user and root may own the folder of a state or of all states, write to it, or put
 * another in its place. DrydockError
 * `state_unusable`.
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
  // Where there are no numbers of users, every folder has the same.
  const isOwn = uid === 0 || uid === (process.getuid?.() ?? uid)
  // Somebody could make a state there before its user does, and would be its owner.
  return !isOwn || ((mode & writableByOthers) !== 0 && !(kind === 'root' && isSticky(mode)))
}

/** The folders that it lies in, up to the top. */
function above(folder: string): readonly string[] {
  const parent = dirname(folder)
  return parent === folder || folder === sep ? [] : [parent, ...above(parent)]
}

function refused(folder: string): DrydockError {
  return new DrydockError('state_unusable', `Other users can change the state in ${folder}.`, {
    todo: `Run: chmod go-w ${JSON.stringify(folder)}; or set DRYDOCK_HOME to a folder that only you can write to.`,
  })
}
