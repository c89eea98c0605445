import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readlinkSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Linux's default file system in memory. Some containers limit it to 64 MB, or forbid running
 * programs there.
 */
const inMemory = '/dev/shm'
const name = 'drydock-test-run-'
/** Separates process ids of containers that share the memory. */
const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]
const dayMs = 86_400_000
/** In bytes. A whole run uses less than a tenth at a time. */
const room = 4e9

/**
 * Creates the folder in memory for this test run's temporary files; null if there is too little
 * space, or if programs cannot run there. Removes the folders of killed runs; in another namespace
 * only those a day old.
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
    // The mode of /tmp, since some programs of the tests run as other users.
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
