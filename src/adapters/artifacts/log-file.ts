import { closeSync, constants, openSync, writeFileSync } from 'node:fs'
import { limits } from '../../domain/limits.ts'
import type { LogFile } from '../../ports/artifacts.ts'

/** Makes the file, which must not be there. */
export function openLogFile(file: string): LogFile {
  const fd = openSync(file, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o644)
  let left: number = limits.logBytes
  return {
    write(chunk) {
      if (left < 0) return
      writeFileSync(fd, chunk.subarray(0, left))
      left -= chunk.length
      if (left < 0) writeFileSync(fd, `\n[drydock] the log is cut at ${limits.logBytes} bytes\n`)
    },
    close: () => closeSync(fd),
  }
}
