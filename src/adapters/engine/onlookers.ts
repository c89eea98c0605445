import type { Socket } from 'node:net'
import { limits } from '../../domain/limits.ts'
import type { LiveWorkFeed } from '../../ports/live-work.ts'

export interface Onlookers {
  look(socket: Socket, isLooking: boolean): void
  close(): void
}

/**
 * Tells those who look what lanes do at this moment: each what is new to it, some times a second.
 * Who has not read the last of it gets nothing until then, and then only what holds by then.
 */
export function createOnlookers(live: LiveWorkFeed, tell: (socket: Socket, work: string) => void): Onlookers {
  /** The version that each has been told of last. */
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
        // Not yet told of version 0 either.
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
