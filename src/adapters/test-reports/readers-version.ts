import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A digest of the readers' source files. */
export function readersVersion(folder: string): string {
  const sum = createHash('sha256')
  for (const name of readdirSync(folder).toSorted()) sum.update(`${name}\n`).update(readFileSync(join(folder, name)))
  return sum.digest('hex').slice(0, 16)
}
