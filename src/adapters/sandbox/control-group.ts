import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmdirSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'

/** Processes and threads of one sandbox. */
export const mostProcesses = 4096
/**
 * The most that a process can say: when memory runs out, the kernel ends it before any that says
 * less.
 */
export const firstToEnd = 1_000
/**
 * The part of the machine's memory that one sandbox may take, what its processes share included.
 */
const memoryShare = 0.75

export interface ControlGroup {
  /** Takes some 10 ms, in which the kernel waits for all processors. */
  add(pid: number): Promise<void>
  remove(): void
}

/**
 * A control group that bounds the number of processes and, where the kernel counts it, the memory
 * of all of them together, shared memory included. null where none can be made. Only root needs it
 * for processes: the kernel's own limit holds for every other user, and not for root.
 */
export function makeControlGroup(): ControlGroup | null {
  if (process.getuid?.() !== 0) return null
  const groups = readFileSync('/proc/self/cgroup', 'utf8')
  const name = `drydock-${process.pid}-${ownNumbering()}-${randomBytes(6).toString('hex')}`
  const [pids, memory] = ['pids', 'memory'].map((controller) => join(ownGroup(groups, controller), name))
  if (pids === undefined || memory === undefined) return null
  // Read-only, or no control groups at all; the probe says that processes are not bounded.
  if (!bounded(pids, 'pids.max', mostProcesses)) return null
  const bytes = Math.floor(totalmem() * memoryShare)
  // The second version of control groups has one folder for all, the first one for each.
  const more = memory === pids || !bounded(memory, 'memory.limit_in_bytes', bytes) ? [] : [memory]
  if (memory === pids) bound(pids, 'memory.max', bytes)
  const folders = [pids, ...more]
  return {
    async add(pid) {
      await Promise.all(folders.map((folder) => writeFile(join(folder, 'cgroup.procs'), `${pid}`)))
    },
    remove: () => folders.forEach(removeGroup),
  }
}

/**
 * Makes a folder with a limit; false, and no folder is left, where the kernel does not count that
 * there.
 */
function bounded(folder: string, file: string, value: number): boolean {
  try {
    removeLeftovers(dirname(folder))
    mkdirSync(folder)
  } catch {
    return false
  }
  if (bound(folder, file, value)) return true
  removeGroup(folder)
  return false
}

function bound(folder: string, file: string, value: number): boolean {
  try {
    // Writing must not make the file: where it is missing, the kernel does not count.
    writeFileSync(join(folder, file), `${value}`, { flag: 'r+' })
    return true
  } catch {
    return false
  }
}

/** The namespace in which this process and its children have their numbers. */
function ownNumbering(): string {
  return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? ''
}

/**
 * Groups of a process that was killed and could not remove them. Of those of another namespace
 * nobody here can tell whether their process is there.
 */
function removeLeftovers(parent: string): void {
  const own = ownNumbering()
  for (const name of readdirSync(parent)) {
    const [, owner, numbering] = /^drydock-(\d+)-(\d+)-/.exec(name) ?? []
    if (numbering === own && !existsSync(`/proc/${owner}`)) removeGroup(join(parent, name))
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

/**
 * Folder of the control group that this process is counted in: a group below it stays under the
 * limits of this one.
 */
function ownGroup(groups: string, controller: string): string {
  const first = new RegExp(`^\\d+:(?:[^:\\n]*,)?${controller}(?:,[^:\\n]*)?:(.*)$`, 'm').exec(groups)?.[1]
  if (first !== undefined) return join('/sys/fs/cgroup', controller, first)
  return join('/sys/fs/cgroup', /^0::(.*)$/m.exec(groups)?.[1] ?? '')
}

/**
 * When memory runs out, the kernel ends what this process starts from now on before anything else
 * of the machine.
 */
export async function endFirst(pid: number): Promise<void> {
  // A process that has ended, or a kernel without it, needs none.
  await writeFile(`/proc/${pid}/oom_score_adj`, `${firstToEnd}`).catch(() => undefined)
}
