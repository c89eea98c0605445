import { randomBytes, randomUUID } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const fileOf = (installation: string) => join(installation, 'dashboard-generation')

/** What all sessions and links of an installation have in common until they are ended. It is no secret, and is read for each request, since any process may end them. */
export async function sessionGeneration(installation: string): Promise<string> {
  const found = await readFile(fileOf(installation), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  return found ?? renewGeneration(installation)
}

/** Ends every session and every link of all dashboards of an installation. */
export async function renewGeneration(installation: string): Promise<string> {
  const generation = randomBytes(16).toString('base64url')
  const made = `${fileOf(installation)}-${randomUUID()}`
  await writeFile(made, generation, { flag: 'wx', mode: 0o600 })
  await rename(made, fileOf(installation))
  return generation
}
