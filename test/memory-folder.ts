import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readlinkSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file system in memory that Linux has by default. Some containers give it 64 MB, or no right to run programs. */
const inMemory = '/dev/shm'
const name = 'drydock-tests-'
/** A process id means another process in another namespace, as in a container that shares the memory. */
const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]
const dayMs = 86_400_000
/** In bytes. A whole run holds less than a tenth at once. */
const room = 4e9

/**
 * Makes the folder for temporary files of this run of tests, in memory; null where there is no room
 * there, or nothing can be started. Removes the folders of runs that were killed; in another
 * namespace only those a day old.
 */
export function makeMemoryFolder(): string | null {
  const folder = join(inMemory, `${name}${namespace}-${process.pid}`)
  try {
    for (const each of readdirSync(inMemory)) {
      if (each.startsWith(name) && isLeft(each)) remove(join(inMemory, each))
    }
    const { bavail, bsize } = statfsSync(inMemory)
    if (bavail * bsize < room) return null
    mkdirSync(folder)
    // As /tmp: some programs of the tests run as other users.
    chmodSync(folder, 0o1777)
    const program = join(folder, 'program')
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
    execFileSync(program)
    return folder
  } catch {
    remove(folder)
    return null
  }
}

export const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })

function isLeft(folder: string): boolean {
  const [own, pid] = folder.slice(name.length).split('-')
  return own === namespace ? !isRunning(Number(pid)) : Date.now() - statSync(join(inMemory, folder)).mtimeMs > dayMs
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user is running, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
