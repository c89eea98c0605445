import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Processes and threads of one sandbox. */
export const mostProcesses = 4096

export interface ProcessGroup {
  /** Takes some 10 ms, in which the kernel waits for all processors. */
  add(pid: number): Promise<void>
  remove(): void
}

/**
 * A control group that bounds the number of processes, null where none can be made. Only root needs it: the kernel's own limit holds for
 * every other user, and not for root.
 */
export function makeProcessGroup(): ProcessGroup | null {
  if (process.getuid?.() !== 0) return null
  const parent = ownGroup()
  const folder = join(parent, `drydock-${process.pid}-${randomBytes(6).toString('hex')}`)
  try {
    removeLeftovers(parent)
    mkdirSync(folder)
  } catch {
    // Read-only, or no control groups at all; the probe says that processes are not bounded.
    return null
  }
  const group = {
    add: (pid: number) => writeFile(join(folder, 'cgroup.procs'), `${pid}`),
    remove: () => removeGroup(folder),
  }
  try {
    writeFileSync(join(folder, 'pids.max'), `${mostProcesses}`)
    return group
  } catch {
    // A group that does not count processes.
    group.remove()
    return null
  }
}

/** Groups of a process that was killed and could not remove them. */
function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const owner = /^drydock-(\d+)-/.exec(name)?.[1]
    if (owner !== undefined && !existsSync(`/proc/${owner}`)) removeGroup(join(parent, name))
  }
}

function removeGroup(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    // A zombie that nobody has collected keeps it for now; or somebody else was faster.
    if (error instanceof Error && 'code' in error && ['EBUSY', 'ENOENT'].includes(`${error.code}`)) return
    throw error
  }
}

/** Folder of the control group that this process is counted in: a group below it stays under the limits of this one. */
function ownGroup(): string {
  const groups = readFileSync('/proc/self/cgroup', 'utf8')
  const first = /^\d+:(?:[^:\n]*,)?pids(?:,[^:\n]*)?:(.*)$/m.exec(groups)?.[1]
  if (first !== undefined) return join('/sys/fs/cgroup/pids', first)
  return join('/sys/fs/cgroup', /^0::(.*)$/m.exec(groups)?.[1] ?? '')
}
