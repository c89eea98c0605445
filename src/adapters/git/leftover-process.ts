import { setTimeout as delay } from 'node:timers/promises'
import { isRunning, type ProcessMark } from '../../processes/process-mark.ts'
import { signalGroup } from '../../processes/signal-group.ts'

const pollMs = 10

/** Ends the process and its children if it still runs; returns once it is gone. */
export async function endLeftover(left: ProcessMark, signal: AbortSignal | undefined): Promise<void> {
  for (let tries = 0; isRunning(left); tries += 1) {
    if (tries % 100 === 0) signalGroup(left.pid, tries === 0 ? 'SIGTERM' : 'SIGKILL')
    await delay(pollMs, undefined, signal === undefined ? {} : { signal })
  }
}
