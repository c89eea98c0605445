import { lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parsedJson } from '../../domain/json.ts'

/** The file of a state that says where its server takes commands. */
export const doorFile = 'door.json'

/** What the file says. */
export interface Door {
  readonly repository: string
  readonly socket: string
  readonly edition: string
}

/**
 * The door of the process that serves the repository that a folder is in, by the folder of all
 * states; null where none is known. A state's own folder begins with the repository's name. Throws
 * for a folder that is not there.
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

/** The nearest folder with a `.git`; the process that serves asks git itself. */
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

/** The environment is told to nobody else. */
function isOwn(socket: string): boolean {
  const found = lstatSync(socket, { throwIfNoEntry: false })
  return found?.isSocket() === true && found.uid === process.getuid?.() && (found.mode & 0o077) === 0
}
