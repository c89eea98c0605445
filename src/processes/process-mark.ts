import { readFileSync } from 'node:fs'

export interface ProcessMark {
  readonly pid: number
  /**
   * The boot id and the start time in ticks; null without `/proc`, and for a process that does not
   * exist.
   */
  readonly began: string | null
}

/**
 * Identifies a process, by default this one, so that a later process with the same id is not taken
 * for it.
 */
export function processMark(pid = process.pid): ProcessMark {
  return { pid, began: statOf(pid)?.began ?? null }
}

/** True if that same process still runs. */
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

/** The state of a zombie, which its parent has not collected yet. */
const ended = 'Z'

let boot: string | null = null

function statOf(pid: number): { readonly state: string | undefined; readonly began: string } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The program's name in brackets may contain any characters. Fields 3 and 22 are the state and
    // the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return { state: fields[0], began: `${boot}-${fields[19]}` }
  } catch {
    return null
  }
}
