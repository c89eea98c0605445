import type { RefChange } from '../../../domain/hub/ref-rights.ts'

/** What a client of git says before the pack of a push. */
export interface PushCommands {
  readonly changes: readonly RefChange[]
  readonly capabilities: readonly string[]
  /** Bytes that were read: what follows is the pack. */
  readonly length: number
}

/** As many refs as one push may change, and the bytes that say so. */
const mostChanges = 64
export const mostCommandBytes = 32 * 1024

/**
 * Reads the commands of a push: lines of git's packet format up to the first flush. Null when the
 * end of them is not there yet. Throws for anything that is no plain list of changes, such as a
 * signed push or one of a shallow clone.
 */
export function readCommands(bytes: Buffer): PushCommands | null {
  const changes: RefChange[] = []
  let capabilities: readonly string[] = []
  for (let at = 0; ; ) {
    if (bytes.length < at + 4) return tooLong(bytes)
    const header = bytes.toString('latin1', at, at + 4)
    if (header === '0000') return { changes, capabilities, length: at + 4 }
    const length = /^[0-9a-f]{4}$/.test(header) ? Number.parseInt(header, 16) : 0
    if (length < 5) throw new Error('it is no list of commands')
    if (bytes.length < at + length) return tooLong(bytes)
    const line = bytes.toString('latin1', at + 4, at + length)
    const zero = line.indexOf('\0')
    if (zero >= 0 && changes.length > 0) throw new Error('capabilities come with the first command')
    if (zero >= 0)
      capabilities = line
        .slice(zero + 1)
        .split(/[ \n]/)
        .filter(Boolean)
    changes.push(changeOf(zero < 0 ? line : line.slice(0, zero)))
    if (changes.length > mostChanges) throw new Error(`it changes more than ${mostChanges} refs`)
    at += length
  }
}

function tooLong(bytes: Buffer): null {
  if (bytes.length < mostCommandBytes) return null
  throw new Error(`its commands have more than ${mostCommandBytes} bytes`)
}

function changeOf(line: string): RefChange {
  const found = /^([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64}) ([!-~]+)\n?$/.exec(line)
  const [, from = '', to = '', ref = ''] = found ?? []
  if (found === null || from.length !== to.length) throw new Error('a command of it is none')
  return { ref, from: idOf(from), to: idOf(to) }
}

function idOf(text: string): string | null {
  return /^0+$/.test(text) ? null : text
}
