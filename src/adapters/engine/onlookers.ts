import type { Socket } from 'node:net'
import { limits } from '../../domain/limits.ts'
import type { LiveWorkFeed } from '../../ports/live-work.ts'

export interface Onlookers {
  look(socket: Socket, isLooking: boolean): void
  close(): void
}

/**
 * Sends clients the current activity of lanes: only the changes, a few times per second. A client
 * that has not yet read the last update gets nothing until it has, and then only the current state.
 */
export function createOnlookers(live: LiveWorkFeed, tell: (socket: Socket, work: string) => void): Onlookers {
  /** The last version sent to each client. */
  const told = new Map<Socket, number>()
  let timer: NodeJS.Timeout | undefined

  function soon(): void {
    if (told.size > 0) timer ??= setTimeout(tellAll, limits.live.togetherMs)
  }

  function tellAll(): void {
    timer = undefined
    for (const [socket, version] of told) {
      if (socket.writableLength > 0) {
        soon()
        continue
      }
      const changes = live.since(version)
      if (changes.version === version) continue
      told.set(socket, changes.version)
      tell(socket, JSON.stringify(changes))
    }
  }

  live.onChange(soon)
  return {
    look(socket, isLooking) {
      if (!isLooking) told.delete(socket)
      else if (!told.has(socket)) {
        // -1, so that the client also gets version 0.
        told.set(socket, -1)
        tellAll()
      }
    },
    close() {
      clearTimeout(timer)
      told.clear()
    },
  }
}
