import { lstatSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Drydock } from '../../app/drydock.ts'
import type { Installation } from '../../app/installation.ts'
import type { Opening } from '../../app/opening.ts'
import { openDrydock } from '../../compose.ts'

/** Variables that a shell changes by itself, and that Drydock does not read. */
const ofShell = new Set(['_', 'SHLVL', 'PWD', 'OLDPWD', 'TERM', 'COLUMNS', 'LINES', 'WINDOWID'])

/** The number of repositories to keep open, each with a different environment. */
const kept = 8

interface Open {
  readonly drydock: Drydock
  readonly environment: string
  /** The text of the user's file when it was read. */
  readonly user: string
}

/**
 * Opens a server's repository for commands from other processes. Reuses an opened one while the
 * environment and the user's file are unchanged and git would find the same repository, since then
 * its keys and settings are unchanged, too.
 */
export function createOpenings(repository: string): (opening: Opening) => Promise<Drydock> {
  const known: Open[] = []
  return async (opening) => {
    const environment = nameOf(opening)
    const isIn = isInside(opening.directory, repository)
    const found = known.find((open) => isIn && open.environment === environment && open.user === standOf(open.drydock))
    if (found !== undefined) return found.drydock
    const drydock = await openDrydock(opening)
    known.unshift({ drydock, environment, user: standOf(drydock) })
    known.splice(kept)
    return drydock
  }
}

function nameOf({ env, flags = {} }: Pick<Opening, 'env' | 'flags'>): string {
  const variables = Object.entries(env).filter(([name]) => !ofShell.has(name))
  return JSON.stringify([variables.toSorted(([a], [b]) => (a < b ? -1 : 1)), Object.entries(flags).toSorted()])
}

function standOf({ user: { file } }: Pick<Installation, 'user'>): string {
  const stand = lstatSync(file, { bigint: true, throwIfNoEntry: false })
  return stand === undefined ? '' : [stand.ino, stand.mtimeNs, stand.ctimeNs, stand.size].join(' ')
}

/**
 * True if git, run in a folder, would certainly find this repository. False in case of doubt, which
 * is cheaper than starting git.
 */
function isInside(directory: string, repository: string): boolean {
  try {
    const top = lstatSync(repository)
    const git = lstatSync(join(repository, '.git'))
    if (git.uid !== process.getuid?.()) return false
    for (let at = realpathSync(directory); ; at = dirname(at)) {
      if (at === repository) return true
      const isOnTheWay = ['.git', 'HEAD'].some((name) => lstatSync(join(at, name), { throwIfNoEntry: false }))
      if (isOnTheWay || at === dirname(at) || lstatSync(at).dev !== top.dev) return false
    }
  } catch {
    return false
  }
}
