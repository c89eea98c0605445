import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { systemPath } from '../../processes/host-path.ts'
import { runProgram } from '../../processes/run-program.ts'
import { unlessMissing } from './unless-missing.ts'

const pollMs = 10

/**
 * Ends the process with this id, and what it started, while its command line holds `mark`; returns
 * when it is gone.
 */
export async function endLeftover(pid: number, mark: string, signal: AbortSignal | undefined): Promise<void> {
  for (let tries = 0; (await commandOf(pid)).includes(mark); tries += 1) {
    if (tries % 100 === 0) kill(pid, tries === 0 ? 'SIGTERM' : 'SIGKILL')
    await delay(pollMs, undefined, signal === undefined ? {} : { signal })
  }
}

async function commandOf(pid: number): Promise<string> {
  if (process.platform === 'linux') return (await unlessMissing(readFile(`/proc/${pid}/cmdline`, 'utf8'))) ?? ''
  // It ends with 1 and prints nothing when there is no such process.
  const { stdout } = await runProgram('ps', ['-o', 'command=', '-p', `${pid}`], { env: { PATH: systemPath } })
  return stdout
}

function kill(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
