import { isAtRest } from '../../domain/run/outcome.ts'
import type { Records } from '../../ports/store.ts'
import { createBell } from './bell.ts'
import { createSession, type Workplace } from './session.ts'
import { questionsOf } from './waits-for.ts'

interface Working {
  readonly coders: number
  readonly onNote: (text: string) => void
  /**
   * Ends the work immediately: the next process that works on the Run repeats interrupted steps.
   */
  readonly stop: AbortSignal
}

/**
 * Works on one Run, as its owner or alongside the owner, until the Run is at rest or needs a human.
 * Stores no command, so a paused Run stays paused.
 */
export async function workUntilRest(drydock: Workplace, run: string, { coders, onNote, stop }: Working): Promise<void> {
  const bell = createBell({ settleMs: 0 })
  const failures: unknown[] = []
  const fail = (error: unknown) => {
    failures.push(error)
    bell.ring()
  }
  const session = createSession(drydock, { runs: [run], coders, own: true, onNote, fail, ring: bell.ring })
  stop.addEventListener('abort', bell.ring, { once: true })
  const records = drydock.openRecords()
  try {
    while (!stop.aborted) {
      if (failures.length > 0) throw failures[0]
      await session.ensure()
      if (await isOver(records, run)) return
      await bell.next(session.waitMs())
    }
  } finally {
    await records.close()
    await session.end({ drain: failures.length === 0 && !stop.aborted })
  }
}

async function isOver(records: Records, id: string): Promise<boolean> {
  if ((await records.pendingCommands()).some(({ command }) => (command.run ?? id) === id)) return false
  const run = await records.machineOf('run', id)
  if (run === null || isAtRest(run)) return true
  return (await questionsOf(records, id)).length > 0
}
