import type { RunNow } from '../../app/views/window/run-now.ts'
import type { RunWindow } from '../../app/views/window/run-window.ts'
import { createBell } from '../../app/wait/bell.ts'
import { createSession, retryMs } from '../../app/wait/session.ts'
import { limits } from '../../domain/limits.ts'
import type { Room } from './room.ts'

/**
 * The state of a watched Run. `abandoned`: no process works on it, and the ones that were started
 * for it ended at once.
 */
export type Standing = 'moves' | 'waits' | 'rests' | 'abandoned'

interface Watching {
  readonly room: Room
  readonly window: RunWindow
  readonly run: string
  /** Sends the news, and returns the state of the Run. */
  readonly look: () => Promise<RunNow | null>
  /** Called after each look; returning false ends the watch. */
  readonly take: (standing: Standing, now: RunNow | null) => boolean
  readonly onFailure: (error: unknown) => void
}

export interface Watch {
  readonly run: string
  readonly isOver: () => boolean
  /** Looks at the Run again at once. */
  ring(): void
  /** Treats the Run as busy until this command has been applied. */
  expect(command: string): void
  /** Starts a process that works on the Run, unless one that was started here is still running. */
  work(): void
  /** Ends the watch; the work continues. */
  stop(): Promise<void>
}

/** Watches a Run that other processes may work on, and starts a process for it when none does. */
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
  /** The number of processes that ended in a row without any move of the Run. */
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
        // Checks commands first: later reads then include the effects of every applied command.
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
      // A new command is a reason to try again.
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
