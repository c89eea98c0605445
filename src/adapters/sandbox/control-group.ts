import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmdirSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'

/** The most processes and threads of one sandbox. */
export const mostProcesses = 4096
/** The highest OOM score: when memory runs out, the kernel kills processes with it first. */
export const firstToEnd = 1_000
/** The share of the machine's memory for one sandbox, including memory that its processes share. */
const memoryShare = 0.75

export interface ControlGroup {
  /** Takes about 10 ms, in which the kernel waits for all processors. */
  add(pid: number): Promise<void>
  remove(): void
}

/**
 * A control group that limits the number of processes and, where the kernel counts it, their total
 * memory including shared memory. Null if none can be made. Only root needs it for processes, since
 * the kernel's own limit applies to every other user.
 */
export function makeControlGroup(): ControlGroup | null {
  if (process.getuid?.() !== 0) return null
  const groups = readFileSync('/proc/self/cgroup', 'utf8')
  const name = `drydock-${process.pid}-${ownNumbering()}-${randomBytes(6).toString('hex')}`
  const [pids, memory] = ['pids', 'memory'].map((controller) => join(ownGroup(groups, controller), name))
  if (pids === undefined || memory === undefined) return null
  // The folder is read-only, or control groups are missing; the probe reports that processes are
  // not limited.
  if (!bounded(pids, 'pids.max', mostProcesses)) return null
  const bytes = Math.floor(totalmem() * memoryShare)
  // Version 2 of control groups has one folder for all controllers, version 1 has one for each.
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
 * Makes a folder with a limit. Returns false, and leaves no folder, where the kernel does not count
 * that resource.
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
    // The write must not create the file: where it is missing, the kernel does not count.
    writeFileSync(join(folder, file), `${value}`, { flag: 'r+' })
    return true
  } catch {
    return false
  }
}

/** The pid namespace of this process and its children. */
function ownNumbering(): string {
  return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? ''
}

/**
 * Removes groups of processes that were killed before they could do so. Groups of another pid
 * namespace stay, since their processes cannot be checked from here.
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
    // An uncollected zombie still keeps the group, or another process has removed it already.
    if (error instanceof Error && 'code' in error && ['EBUSY', 'ENOENT'].includes(`${error.code}`)) return
    throw error
  }
}

/** The control group of this process; a group below it stays under its limits. */
function ownGroup(groups: string, controller: string): string {
  const first = new RegExp(`^\\d+:(?:[^:\\n]*,)?${controller}(?:,[^:\\n]*)?:(.*)$`, 'm').exec(groups)?.[1]
  if (first !== undefined) return join('/sys/fs/cgroup', controller, first)
  return join('/sys/fs/cgroup', /^0::(.*)$/m.exec(groups)?.[1] ?? '')
}

/** Makes the kernel kill this process and its later children first when memory runs out. */
export async function endFirst(pid: number): Promise<void> {
  // The process may have ended, or the kernel may lack this setting.
  await writeFile(`/proc/${pid}/oom_score_adj`, `${firstToEnd}`).catch(() => undefined)
}
