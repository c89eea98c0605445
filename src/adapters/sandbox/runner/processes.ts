import { readdirSync, readFileSync } from 'node:fs'

export interface Process {
  readonly pid: number
  readonly parent: number
  /** The process's session, which no other process can join. */
  readonly session: number
  /** Together with the pid, distinguishes the process from a later one with the same pid. */
  readonly startedAt: string
}

/** All processes inside except pid 1 and this one. */
export function processes(): readonly Process[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== '1' && name !== `${process.pid}`)
  return pids.flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
      // The name, in parentheses, may contain any characters.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const isDead = fields[0] === 'Z' || fields[0] === 'X'
      const [parent, session] = [Number(fields[1]), Number(fields[3])]
      return isDead ? [] : [{ pid: Number(pid), parent, session, startedAt: fields[19] ?? '' }]
    } catch {
      return []
    }
  })
}

/** The matching processes and all their descendants. */
export function withDescendants(all: readonly Process[], isSuch: (one: Process) => boolean): ReadonlySet<Process> {
  const found = new Set(all.filter(isSuch))
  for (let before = -1; before !== found.size; ) {
    before = found.size
    const pids = new Set([...found].map(({ pid }) => pid))
    for (const one of all) if (pids.has(one.parent)) found.add(one)
  }
  return found
}

/** Sends SIGKILL to a process, which may already be gone. */
export function killOne({ pid }: Process): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** Sends SIGKILL to all processes but the runner and pid 1; returns false if there were none. */
export function killAll(): boolean {
  try {
    process.kill(-1, 'SIGKILL')
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false
    throw error
  }
}
