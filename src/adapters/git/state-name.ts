import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { basename } from 'node:path'

/** The name of a repository's state directory: `<its folder's name>-<hash of its real path>`. */
export async function stateName(repository: string): Promise<string> {
  const real = await realpath(repository)
  const hash = createHash('sha256').update(real).digest('hex').slice(0, 12)
  const name = basename(real).replaceAll(/[^A-Za-z0-9._-]+/g, '-')
  return `${name || 'repository'}-${hash}`
}
