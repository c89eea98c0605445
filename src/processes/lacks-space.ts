import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Primary result codes of SQLite, the low byte of `errcode`, for a write that the system refused
 * with a reason that SQLite does not pass on. `readOnly`: the files beside a database could not be
 * made, so that it can only be read.
 */
const refused = { readOnly: 8, ioError: 10, cannotOpen: 14 } as const
const full = 13

/** As much as SQLite makes of a file at once. */
const probe = Buffer.alloc(65_536)

/**
 * Whether an error of SQLite says that the disk of this folder has no space for it. SQLite gives
 * that its own code only for the file of the database itself. Where another could not be made or
 * grown (too few bytes, files or a quota), trying the same is what tells.
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
