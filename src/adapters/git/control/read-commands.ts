import { DrydockError } from '../../../domain/drydock-error.ts'
import type { RefChange } from '../../../domain/hub/ref-rights.ts'

/** The part of a push before its pack. */
export interface PushCommands {
  readonly changes: readonly RefChange[]
  readonly capabilities: readonly string[]
  /** The number of bytes read; the pack follows. */
  readonly length: number
}

/** The most refs that one push may change, and the most bytes of its commands. */
const mostChanges = 64
export const mostCommandBytes = 32 * 1024

/**
 * Reads the commands of a push: lines of git's packet format up to the first flush. Null if their
 * end has not arrived yet. Lines of a shallow clone are left to git. Throws DrydockError
 * `bad_usage` for anything but a plain list of changes, such as a signed push.
 */
export function readCommands(bytes: Buffer): PushCommands | null {
  const changes: RefChange[] = []
  let capabilities: readonly string[] = []
  for (let at = 0; ; ) {
    if (bytes.length < at + 4) return tooLong(bytes)
    const header = bytes.toString('latin1', at, at + 4)
    if (header === '0000') return { changes, capabilities, length: at + 4 }
    const length = /^[0-9a-f]{4}$/.test(header) ? Number.parseInt(header, 16) : 0
    if (length < 5) throw malformed('it is no list of commands')
    if (bytes.length < at + length) return tooLong(bytes)
    const line = bytes.toString('latin1', at + 4, at + length)
    at += length
    if (changes.length === 0 && /^shallow [0-9a-f]{40,64}\n?$/.test(line)) continue
    const zero = line.indexOf('\0')
    if (zero >= 0 && changes.length > 0) throw malformed('capabilities come with the first command')
    if (zero >= 0)
      capabilities = line
        .slice(zero + 1)
        .split(/[ \n]/)
        .filter(Boolean)
    changes.push(changeOf(zero < 0 ? line : line.slice(0, zero)))
    if (changes.length > mostChanges) throw malformed(`it changes more than ${mostChanges} refs`)
  }
}

function tooLong(bytes: Buffer): null {
  if (bytes.length < mostCommandBytes) return null
  throw malformed(`its commands have more than ${mostCommandBytes} bytes`)
}

function changeOf(line: string): RefChange {
  const found = /^([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64}) ([!-~]+)\n?$/.exec(line)
  const [, from = '', to = '', ref = ''] = found ?? []
  if (found === null || from.length !== to.length) throw malformed('a command of it is none')
  return { ref, from: idOf(from), to: idOf(to) }
}

function idOf(text: string): string | null {
  return /^0+$/.test(text) ? null : text
}

export function malformed(why: string): DrydockError {
  return new DrydockError('bad_usage', `What was said is no push of git: ${why}.`, {
    todo: 'Push with git 2.38 or newer.',
  })
}
