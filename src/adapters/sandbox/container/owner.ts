import { readFileSync, readlinkSync } from 'node:fs'

/** The container label that names the owning process. */
export const ownerLabel = 'drydock.owner'

/**
 * A unique name for this process: process ids are reused, and mean other processes in other
 * containers.
 */
export function ownerName(): string {
  return `${place()}/${process.pid}/${startOf(process.pid)}`
}

/** True if the named process lived in this pid namespace and is dead. */
export function isDead(owner: string): boolean {
  const [, where, pid, start] = /^(.*)\/(\d+)\/(\d+)$/.exec(owner) ?? []
  return where === place() && `${startOf(Number(pid))}` !== start
}

function place(): string {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
  return `${boot}/${readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')}`
}

/** The start time in ticks since boot; null if the process does not exist. */
function startOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The program's name in brackets may contain any characters.
    return Number(
      stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .at(19),
    )
  } catch {
    return null
  }
}
