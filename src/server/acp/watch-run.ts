import type { RunNow } from '../../app/views/window/run-now.ts'
import type { RunWindow } from '../../app/views/window/run-window.ts'
import { createBell } from '../../app/wait/bell.ts'
import { createSession, retryMs } from '../../app/wait/session.ts'
import { limits } from '../../domain/limits.ts'
import type { Room } from './room.ts'

/**
 * How a Run stands for whoever watches it. `abandoned`: nobody works on it, and the processes that
 * were started for it ended at once.
 */
export type Standing = 'moves' | 'waits' | 'rests' | 'abandoned'

interface Watching {
  readonly room: Room
  readonly window: RunWindow
  readonly run: string
  /** Tells what is new, and returns how the Run stands. */
  readonly look: () => Promise<RunNow | null>
  /** Called after each look; false ends the watch. */
  readonly take: (standing: Standing, now: RunNow | null) => boolean
  readonly onFailure: (error: unknown) => void
}

export interface Watch {
  readonly run: string
  readonly isOver: () => boolean
  /** Looks again at once. */
  ring(): void
  /** The Run rests only when this command has been applied. */
  expect(command: string): void
  /** Starts the process that works on the Run, unless one that was started here still does. */
  work(): void
  /** The work itself goes on. */
  stop(): Promise<void>
}

/** Watches a Run beside whoever works on it, and has it worked on when nobody does. */
export function watchRun({ room, window, run, look, take, onFailure }: Watching): Watch {
  const bell = createBell({ settleMs: limits.eventsTogetherMs })
  const beside = createSession(room.drydock, {
    runs: [run],
    coders: 1,
    own: false,
    onNote: () => {},
    fail: onFailure,
    ring: bell.ring,
  })
  const expected = new Set<string>()
  let worker: unknown = null
  /** Started in a row while the Run has not moved. */
  let started = 0
  let before = ''
  let stopped = false
  let isOver = false

  function work(): void {
    if (worker !== null) return
    const mine = room.work(run)
    worker = mine
    started += 1
    void mine.ended.then(() => {
      worker = null
      bell.ring()
    })
  }

  function standing(now: RunNow | null): Standing {
    const sign = JSON.stringify([now?.tokens, now?.plan, now?.outcome.code])
    if (sign !== before) started = 0
    before = sign
    const isIdle = expected.size > 0 || now?.outcome.code === 'INTERRUPTED'
    if (!isIdle) return now?.atRest ? 'rests' : now?.outcome.code === 'WAITS_FOR_YOU' ? 'waits' : 'moves'
    if (worker !== null) return 'moves'
    if (started >= limits.acp.workers) return 'abandoned'
    work()
    return 'moves'
  }

  async function watch(): Promise<void> {
    try {
      while (!stopped) {
        await beside.ensure()
        // First of all: what is read after that shows what an applied command has done.
        for (const key of expected) if (await window.isApplied(key)) expected.delete(key)
        const now = await look()
        if (stopped || !take(standing(now), now)) return
        await bell.next(beside.connected() || worker === null ? limits.acp.lookMs : retryMs)
      }
    } finally {
      isOver = true
      await beside.end({ drain: false })
    }
  }

  const watched = watch().catch(onFailure)
  return {
    run,
    isOver: () => isOver,
    ring: bell.ring,
    expect(command) {
      expected.add(command)
      // Whoever gives it wants another try.
      started = 0
      bell.ring()
    },
    work,
    async stop() {
      stopped = true
      bell.hurry()
      await watched
    },
  }
}
