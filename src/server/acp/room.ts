import { isAbsolute } from 'node:path'
import type { Drydock } from '../../app/drydock.ts'
import type { WorkOptions } from '../../app/work-options.ts'
import { invalid } from './rpc-error.ts'
import { type SessionFiles, sessionFiles } from './session-file.ts'

/** A repository that a client has opened. */
export interface Room {
  readonly drydock: Drydock
  readonly files: SessionFiles
  /** What the sessions start from. */
  readonly options: WorkOptions
  /**
   * Starts a process that works on a Run whatever becomes of this one, until the Run is at rest.
   * `ended` is fulfilled when it ends.
   */
  work(run: string): { readonly ended: Promise<void> }
}

export interface Rooms {
  /** Throws RequestError for a relative path, DrydockError for a folder that is no repository. */
  of(cwd: string): Promise<Room>
  all(): readonly Room[]
}

type Opening = Omit<Room, 'files'>

/** A new session sees what the user's file says now; those that are there keep what they have. */
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
