import { readFile } from 'node:fs/promises'

interface Mark {
  readonly pid: number
  readonly began: string | null
}

/** Names this process so that no later one with its id is taken for it. */
export async function ownMark(): Promise<Mark> {
  return { pid: process.pid, began: await beginOf(process.pid) }
}

/** Whether that very process still runs. */
export async function isRunning({ pid, began }: Mark): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return began === null || (await beginOf(pid)) === began
}

/** Ticks from the start of the machine; null where there is no `/proc`, and for no process. */
async function beginOf(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  // The name of the program stands in brackets and may hold anything; field 22 is its begin.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
}
