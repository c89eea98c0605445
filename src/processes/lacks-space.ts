import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * SQLite's primary result codes, the low byte of `errcode`, for a write that the system refused for
 * a reason that SQLite does not report. `readOnly`: files beside the database could not be created,
 * so that it can only be read.
 */
const refused = { readOnly: 8, ioError: 10, cannotOpen: 14 } as const
const full = 13

/** The amount by which SQLite grows a file. */
const probe = Buffer.alloc(65_536)

/**
 * True if an error of SQLite means that the disk of this folder is full. SQLite reports that only
 * for the database file itself. If another file could not be created or grown (because of bytes,
 * inodes or a quota), only a test write can tell.
 */
export function lacksSpace(error: unknown, folder: string): boolean {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) % 256 : null
  if (code === null) return false
  return code === full || (Object.values<number>(refused).includes(code) && !canWrite(folder))
}

function canWrite(folder: string): boolean {
  const file = join(folder, `.probe-${process.pid}-${performance.now()}`)
  try {
    writeFileSync(file, probe, { flag: 'wx' })
    return true
  } catch (error) {
    return !['ENOSPC', 'EDQUOT'].includes(`${(error as NodeJS.ErrnoException).code}`)
  } finally {
    rmSync(file, { force: true })
  }
}
