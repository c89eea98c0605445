import { isAbsolute } from 'node:path'
import type { Drydock } from '../../app/drydock.ts'
import type { WorkOptions } from '../../app/work-options.ts'
import { invalid } from './rpc-error.ts'
import { type SessionFiles, sessionFiles } from './session-file.ts'

/** A repository that a client has opened. */
export interface Room {
  readonly drydock: Drydock
  readonly files: SessionFiles
  /** The default options of its sessions. */
  readonly options: WorkOptions
  /**
   * Starts a process that works on a Run until the Run is at rest, independently of this process.
   * `ended` resolves when that process ends.
   */
  work(run: string): { readonly ended: Promise<void> }
}

export interface Rooms {
  /**
   * Opens a repository. Throws RequestError for a relative path, and DrydockErrors for a folder
   * that is not in a repository.
   */
  of(cwd: string): Promise<Room>
  all(): readonly Room[]
}

type Opening = Omit<Room, 'files'>

/** Reads the user's file again for each new session; existing sessions keep their settings. */
export function createRooms(open: (directory: string) => Promise<Opening>): Rooms {
  const rooms = new Map<string, Room>()
  return {
    async of(cwd) {
      if (!isAbsolute(cwd)) throw invalid(`cwd must be an absolute path: ${cwd}`)
      const opened = await open(cwd)
      const { state } = opened.drydock
      const room = { ...opened, files: sessionFiles(state) }
      rooms.set(state, room)
      return room
    },
    all: () => [...rooms.values()],
  }
}
