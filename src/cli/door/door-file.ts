import { lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parsedJson } from '../../domain/json.ts'

/** The file in a state folder that names the socket where the state's server takes commands. */
export const doorFile = 'door.json'

/** The content of the file. */
export interface Door {
  readonly repository: string
  readonly socket: string
  readonly edition: string
}

/**
 * Finds the door of the server for a folder's repository, below the folder of all states; null if
 * there is none. The name of a state's folder begins with the repository's name. Throws for a
 * missing folder.
 */
export function findDoor(folder: string, root: string): Door | null {
  const repository = topOf(realpathSync(folder))
  if (repository === null) return null
  const lead = `${basename(repository).replaceAll(/[^A-Za-z0-9._-]+/g, '-') || 'repository'}-`
  for (const name of readdirSync(root)) {
    if (!name.startsWith(lead)) continue
    const door = readDoor(join(root, name, doorFile))
    if (door?.repository === repository && isOwn(door.socket)) return door
  }
  return null
}

/** The nearest parent folder with a `.git`. A guess without git, which the server verifies. */
function topOf(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (lstatSync(join(at, '.git'), { throwIfNoEntry: false }) !== undefined) return at
    if (at === dirname(at)) return null
  }
}

function readDoor(file: string): Door | null {
  try {
    return (parsedJson(readFileSync(file, 'utf8')) ?? null) as unknown as Door | null
  } catch {
    return null
  }
}

/**
 * True for a socket that belongs to this user, since the command's environment may contain secrets.
 */
function isOwn(socket: string): boolean {
  const found = lstatSync(socket, { throwIfNoEntry: false })
  return found?.isSocket() === true && found.uid === process.getuid?.() && (found.mode & 0o077) === 0
}
