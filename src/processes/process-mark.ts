import { readFileSync } from 'node:fs'

export interface ProcessMark {
  readonly pid: number
  /** A start of the machine and ticks since; null where there is no `/proc`, and for no process. */
  readonly began: string | null
}

/** Names a process, this one if none is given, so that no later one with its id is taken for it. */
export function processMark(pid = process.pid): ProcessMark {
  return { pid, began: statOf(pid)?.began ?? null }
}

/** Whether that very process still runs. */
export function isRunning({ pid, began }: ProcessMark): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  if (began === null) return true
  const stat = statOf(pid)
  return stat?.began === began && stat.state !== ended
}

/** One that only its parent has not yet asked about. */
const ended = 'Z'

let boot: string | null = null

function statOf(pid: number): { readonly state: string | undefined; readonly began: string } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program stands in brackets and may hold anything. Fields 3 and 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return { state: fields[0], began: `${boot}-${fields[19]}` }
  } catch {
    return null
  }
}
