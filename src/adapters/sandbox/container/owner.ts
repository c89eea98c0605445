import { readFileSync, readlinkSync } from 'node:fs'

/** Label of a container with the process that it works for. */
export const ownerLabel = 'drydock.owner'

/**
 * This process among all that ever were: numbers of processes come again, and mean others in other
 * containers.
 */
export function ownerName(): string {
  return `${place()}/${process.pid}/${startOf(process.pid)}`
}

/** Whether the process that `owner` names lived where this one lives, and is dead. */
export function isDead(owner: string): boolean {
  const [, where, pid, start] = /^(.*)\/(\d+)\/(\d+)$/.exec(owner) ?? []
  return where === place() && `${startOf(Number(pid))}` !== start
}

function place(): string {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
  return `${boot}/${readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')}`
}

/** In ticks since the machine started; null when there is no such process. */
function startOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The program's name stands in brackets and may hold anything.
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
