import { closeSync, constants, openSync, writeFileSync } from 'node:fs'
import { limits } from '../../domain/limits.ts'
import type { Redact } from '../../domain/secrets/redact.ts'
import type { LogFile } from '../../ports/artifacts.ts'
import { createRedactedWrites } from './redacted-writes.ts'

const { O_APPEND, O_CREAT, O_EXCL, O_WRONLY } = constants

/** Creates the file, which must not exist yet, and redacts secrets as it writes. */
export function openLogFile(file: string, redact: Redact): LogFile {
  return openAt(file, O_CREAT | O_EXCL | O_WRONLY, redact)
}

/** Opens a file made by `openLogFile`, to append to it. */
export function reopenLogFile(file: string, redact: Redact): LogFile {
  return openAt(file, O_APPEND | O_WRONLY, redact)
}

function openAt(file: string, flags: number, redact: Redact): LogFile {
  const fd = openSync(file, flags, 0o644)
  return createLog({ write: (bytes) => writeFileSync(fd, bytes), close: () => closeSync(fd) }, redact)
}

/** The destination of a log's bytes. */
interface LogPlace {
  write(bytes: Uint8Array): void
  close(): void
}

/** A log with redacted secrets, cut at its size limit. */
export function createLog(place: LogPlace, redact: Redact): LogFile {
  let left: number = limits.logBytes
  let isOpen = true
  const redacted = createRedactedWrites(redact, (bytes) => {
    if (left < 0) return
    place.write(bytes.subarray(0, left))
    left -= bytes.length
    if (left < 0) place.write(Buffer.from(`\n[drydock] the log is cut at ${limits.logBytes} bytes\n`))
  })
  return {
    write(chunk) {
      if (left >= 0) redacted.write(chunk)
    },
    close() {
      if (!isOpen) return
      isOpen = false
      try {
        redacted.end()
      } finally {
        place.close()
      }
    },
  }
}
